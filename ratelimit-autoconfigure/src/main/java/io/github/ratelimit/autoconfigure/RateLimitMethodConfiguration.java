package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor;
import io.github.ratelimit.method.RateLimitedBeanPostProcessor;
import io.github.ratelimit.method.RateLimitedHandlerInterceptor;
import io.github.ratelimit.method.RateLimitedMethods;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.web.ChangedRequestInterceptor;
import io.github.ratelimit.web.Gate;
import io.github.ratelimit.web.RateLimitContextArgumentResolver;
import io.github.ratelimit.web.RateLimitExceptionResolver;
import io.github.ratelimit.web.Rejections;
import io.github.ratelimit.web.WaitingRoom;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Limits what carries {@code @RateLimited}: handlers by an interceptor, other beans by a proxy. */
@Configuration(proxyBeanMethods = false)
class RateLimitMethodConfiguration {

    private static final String PREFIX = RateLimitAutoConfiguration.PREFIX;

    @Bean(PREFIX + "methods")
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RateLimitedMethods methods(Environment environment) {
        return new RateLimitedMethods(environment::resolvePlaceholders);
    }

    @Bean(PREFIX + "beanPostProcessor")
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RateLimitedBeanPostProcessor beanPostProcessor(RateLimitedMethods methods) {
        return new RateLimitedBeanPostProcessor(methods);
    }

    @Bean(PREFIX + "annotationProcessor")
    static RateLimitedAnnotationProcessor annotationProcessor(
            RateLimitedMethods methods,
            RateLimiter limiter,
            WaitingRoom room,
            PolicyHolder policies,
            RateLimitSetup setup,
            ListableBeanFactory beans,
            ObjectProvider<ServletRegistrationBean<?>> servlets) {
        return new RateLimitedAnnotationProcessor(
                methods, limiter, room, policies, setup.clients(), setup::keyPart, beans, () -> servletPath(servlets));
    }

    /** The path of Spring MVC's servlet, {@code ""} for the root. */
    private static String servletPath(ObjectProvider<ServletRegistrationBean<?>> servlets) {
        return servlets.stream()
                .filter(registration -> registration.getServlet() instanceof DispatcherServlet)
                .flatMap(registration -> registration.getUrlMappings().stream())
                .filter(mapping -> mapping.endsWith("/*"))
                .map(mapping -> mapping.substring(0, mapping.length() - 2))
                .findFirst()
                .orElse("");
    }

    @Bean(PREFIX + "exceptionResolver")
    static RateLimitExceptionResolver exceptionResolver(Rejections rejections, ApplicationContext context) {
        SingletonSupplier<List<ControllerAdviceBean>> advices =
                SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context));
        return new RateLimitExceptionResolver(rejections, advices::obtain);
    }

    @Bean(PREFIX + "webMvcConfigurer")
    static WebMvcConfigurer webMvcConfigurer(RateLimitedMethods methods, WaitingRoom room, Gate gate) {
        return new WebMvcConfigurer() {
            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new RateLimitContextArgumentResolver());
            }

            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(new ChangedRequestInterceptor(gate)).order(Integer.MIN_VALUE);
                registry.addInterceptor(new RateLimitedHandlerInterceptor(methods, room::enter))
                        .order(Integer.MIN_VALUE);
            }
        };
    }
}
