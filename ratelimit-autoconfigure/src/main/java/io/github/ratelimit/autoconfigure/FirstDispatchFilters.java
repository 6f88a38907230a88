package io.github.ratelimit.autoconfigure;

import jakarta.servlet.DispatcherType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.boot.web.servlet.ServletContextInitializerBeans;

/**
 * The filters that are mapped to a request's first dispatch and not to asynchronous ones: a server that picks filters by
 * the kind of the dispatch would leave them out when a delayed request goes on.
 */
final class FirstDispatchFilters {

    private FirstDispatchFilters() {}

    /**
     * The names of those that stand behind another filter.
     *
     * @param front the name of the filter whose followers are looked at
     */
    static List<String> behind(String front, ListableBeanFactory beans) {
        List<String> names = new ArrayList<>();
        boolean behind = false;
        for (ServletContextInitializer initializer : new ServletContextInitializerBeans(beans)) {
            if (initializer instanceof AbstractFilterRegistrationBean<?> registration && registration.isEnabled()) {
                Set<DispatcherType> types = registration.determineDispatcherTypes();
                if (behind && types.contains(DispatcherType.REQUEST) && !types.contains(DispatcherType.ASYNC)) {
                    names.add(registration.getFilterName());
                }
                behind |= front.equals(registration.getFilterName());
            }
        }
        return List.copyOf(names);
    }
}
