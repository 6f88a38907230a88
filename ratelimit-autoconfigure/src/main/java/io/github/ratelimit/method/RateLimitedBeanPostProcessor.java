package io.github.ratelimit.method;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/**
 * Puts a proxy before beans with limited methods, so that calls from other beans are charged; before other advice, so
 * that a refused call opens no transaction and is not handed to another thread.
 *
 * <p>Register it by a static {@code @Bean} method: it is made before all other beans. Where another post-processor puts
 * its advice to the front too, as that of {@code @Async} does, the one that is registered later comes first: an
 * auto-configuration stands behind what the application enables itself.
 */
public final class RateLimitedBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    private final transient RateLimitedMethods methods;

    /**
     * A post-processor.
     *
     * @param methods learns which classes it finds, and tells which of their methods are limited
     */
    public RateLimitedBeanPostProcessor(RateLimitedMethods methods) {
        this.methods = methods;
        this.advisor =
                new DefaultPointcutAdvisor(new RateLimitedPointcut(methods), new RateLimitedMethodInterceptor(methods));
        setProxyTargetClass(true);
        setBeforeExistingAdvisors(true);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (AopUtils.isJdkDynamicProxy(bean)) {
            methods.sawBehindInterfaces(AopUtils.getTargetClass(bean));
        }
        return super.postProcessAfterInitialization(bean, beanName);
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        boolean eligible = super.isEligible(targetClass);
        if (eligible) {
            methods.saw(targetClass);
        }
        return eligible;
    }
}
