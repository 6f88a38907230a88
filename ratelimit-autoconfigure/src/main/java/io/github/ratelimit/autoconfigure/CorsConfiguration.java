package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.web.CorsHeaders;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.filter.CorsFilter;

/** Finds the filter that writes the application's CORS headers: in Spring Security's chain, or a filter of its own. */
@Configuration(proxyBeanMethods = false)
class CorsConfiguration {

    private static final String PREFIX = RateLimitAutoConfiguration.PREFIX;

    /** Where a filter may be. */
    @FunctionalInterface
    interface CorsFilterSource {

        /** The filter that handles a request, {@code null} when there is none here. */
        @Nullable
        CorsFilter filter(HttpServletRequest request);
    }

    @Bean(PREFIX + "corsHeaders")
    static CorsHeaders corsHeaders(
            ObjectProvider<CorsFilterSource> sources,
            ObjectProvider<CorsFilter> filters,
            ObjectProvider<FilterRegistrationBean<?>> registrations) {
        SingletonSupplier<List<CorsFilterSource>> all = SingletonSupplier.of(() -> Stream.of(
                        sources.stream(),
                        filters.stream().map(CorsConfiguration::always),
                        registrations.stream()
                                .map(FilterRegistrationBean::getFilter)
                                .filter(CorsFilter.class::isInstance)
                                .map(CorsFilter.class::cast)
                                .map(CorsConfiguration::always))
                .flatMap(stream -> stream)
                .toList());
        return new CorsHeaders(request -> all.obtain().stream()
                .map(source -> source.filter(request))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null));
    }

    private static CorsFilterSource always(CorsFilter filter) {
        return request -> filter;
    }

    /** Where Spring Security is. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityFilterChain.class)
    static class Security {

        @Bean(PREFIX + "securityCorsFilters")
        static CorsFilterSource securityCorsFilters(ObjectProvider<SecurityFilterChain> chains) {
            SingletonSupplier<List<SecurityFilterChain>> ordered =
                    SingletonSupplier.of(() -> chains.orderedStream().toList());
            return request -> ordered.obtain().stream()
                    .filter(chain -> chain.matches(request))
                    .findFirst()
                    .flatMap(chain -> chain.getFilters().stream()
                            .filter(CorsFilter.class::isInstance)
                            .findFirst())
                    .map(filter -> (CorsFilter) filter)
                    .orElse(null);
        }
    }
}
