package io.github.ratelimit.method;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The classes behind all bean definitions, found without making a bean. */
final class BeanTypes {

    private static final Logger log = LoggerFactory.getLogger(BeanTypes.class);

    private BeanTypes() {}

    /** The classes in the order of the bean definitions, proxies left out where the class behind them is known. */
    static Set<Class<?>> of(ListableBeanFactory beans) {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = type(beans, name);
            // a scoped proxy stands for the bean "scopedTarget.name", which is among the definitions
            if (type != null
                    && !ScopedObject.class.isAssignableFrom(type)
                    && !AopInfrastructureBean.class.isAssignableFrom(type)) {
                types.add(type);
            }
        }
        return types;
    }

    private static @Nullable Class<?> type(ListableBeanFactory beans, String name) {
        try {
            return beans instanceof ConfigurableListableBeanFactory definitions
                    ? AutoProxyUtils.determineTargetClass(definitions, name)
                    : beans.getType(name, false);
        } catch (RuntimeException | LinkageError e) {
            log.debug("The class of bean '{}' cannot be told, so its methods are not limited", name, e);
            return null;
        }
    }
}
