package io.github.ratelimit.autoconfigure;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.boot.web.servlet.ServletContextInitializerBeans;

/**
 * The filters that are mapped to a request's first dispatch and not to asynchronous ones: a server that picks filters by
 * the kind of the dispatch would leave them out when a delayed request goes on. Of a filter that somebody has added to
 * the server without a bean nobody can tell, so that it counts as one of them.
 */
final class FirstDispatchFilters {

    /** Jetty's own: what it would do for a delayed request is left to the guard, which lets no handshake go on. */
    private static final String HANDSHAKES = ".WebSocketUpgradeFilter";

    private FirstDispatchFilters() {}

    /**
     * The names of those that stand behind another filter, or may do so.
     *
     * @param front the name of the filter whose followers are looked at
     * @param server where all filters are
     */
    static List<String> behind(String front, ListableBeanFactory beans, ServletContext server) {
        List<String> names = new ArrayList<>();
        Map<String, FilterRegistration> others = new TreeMap<>(server.getFilterRegistrations());
        boolean behind = false;
        for (ServletContextInitializer initializer : new ServletContextInitializerBeans(beans)) {
            if (initializer instanceof AbstractFilterRegistrationBean<?> registration && registration.isEnabled()) {
                others.remove(registration.getFilterName());
                Set<DispatcherType> types = registration.determineDispatcherTypes();
                if (behind && types.contains(DispatcherType.REQUEST) && !types.contains(DispatcherType.ASYNC)) {
                    names.add(registration.getFilterName());
                }
                behind |= front.equals(registration.getFilterName());
            }
        }
        others.values().stream()
                .filter(other -> !String.valueOf(other.getClassName()).endsWith(HANDSHAKES))
                .forEach(other -> names.add(other.getName()));
        return List.copyOf(names);
    }
}
