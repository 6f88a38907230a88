package io.github.ratelimit.autoconfigure;

import java.util.OptionalInt;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;

/** Where Spring Security's filter stands in the chain: only behind it is it known who has signed in. */
final class SecurityFilterOrder {

    /** The name that Spring Security gives to its filter, whoever registers it. */
    private static final String NAME = "springSecurityFilterChain";

    private SecurityFilterOrder() {}

    /** The order of the filter; empty where there is none that a bean has registered. Asked once all singletons exist. */
    static OptionalInt find(BeanFactory beans) {
        return beans.getBeanProvider(AbstractFilterRegistrationBean.class).stream()
                .filter(registration -> registration.isEnabled() && NAME.equals(registration.getFilterName()))
                .mapToInt(AbstractFilterRegistrationBean::getOrder)
                .max();
    }
}
