package io.github.ratelimit.web;

import org.eclipse.jetty.ee11.servlet.ServletHandler;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.AntPathMatcher;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

/** What an application or its operator may have set, so that other spellings reach a handler. */
final class HostileSettings {

    private HostileSettings() {}

    @Configuration(proxyBeanMethods = false)
    static class AnyCase {

        @Bean
        WebMvcConfigurer anyCase() {
            return new WebMvcConfigurer() {
                @Override
                public void configurePathMatch(PathMatchConfigurer configurer) {
                    PathPatternParser parser = new PathPatternParser();
                    parser.setCaseSensitive(false);
                    configurer.setPatternParser(parser);
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AntAnyCase {

        @Bean
        @SuppressWarnings("removal")
        WebMvcConfigurer antAnyCase() {
            return new WebMvcConfigurer() {
                @Override
                public void configurePathMatch(PathMatchConfigurer configurer) {
                    AntPathMatcher matcher = new AntPathMatcher();
                    matcher.setCaseSensitive(false);
                    configurer.setPathMatcher(matcher);
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NoTrailingSlash {

        @Bean
        UrlHandlerFilter noTrailingSlash() {
            return UrlHandlerFilter.trailingSlashHandler("/**").wrapRequest().build();
        }
    }

    /** Takes for a slash whatever looks like one. */
    @Configuration(proxyBeanMethods = false)
    static class DecodingTomcat {

        @Bean
        WebServerFactoryCustomizer<TomcatServletWebServerFactory> decoding() {
            return factory -> factory.addConnectorCustomizers(connector -> {
                connector.setEncodedSolidusHandling("decode");
                connector.setEncodedReverseSolidusHandling("decode");
                connector.setAllowBackslash(true);
                connector.setRejectSuspiciousURIs(false);
                connector.setProperty("relaxedPathChars", "\\<>[]^`{|}\"");
            });
        }
    }

    /** Leaves escaped slashes to the application. */
    @Configuration(proxyBeanMethods = false)
    static class PassingTomcat {

        @Bean
        WebServerFactoryCustomizer<TomcatServletWebServerFactory> passing() {
            return factory -> factory.addConnectorCustomizers(connector -> {
                connector.setEncodedSolidusHandling("passthrough");
                connector.setEncodedReverseSolidusHandling("passthrough");
                connector.setRejectSuspiciousURIs(false);
                connector.setProperty("relaxedPathChars", "\\<>[]^`{|}\"");
            });
        }
    }

    /** Lets all pass that it ever let pass, and has servlets see paths in which a slash may be one of two. */
    @Configuration(proxyBeanMethods = false)
    static class DecodingJetty {

        @Bean
        WebServerFactoryCustomizer<JettyServletWebServerFactory> decoding() {
            return factory -> jetty(factory, UriCompliance.UNSAFE, true);
        }
    }

    /** Lets pass what older ones did, and has servlets see no path that is ambiguous. */
    @Configuration(proxyBeanMethods = false)
    static class LegacyJetty {

        @Bean
        WebServerFactoryCustomizer<JettyServletWebServerFactory> old() {
            return factory -> jetty(factory, UriCompliance.LEGACY, false);
        }
    }

    private static void jetty(JettyServletWebServerFactory factory, UriCompliance compliance, boolean decode) {
        factory.addServerCustomizers(server -> {
            server.getContainedBeans(HttpConfiguration.class).forEach(http -> http.setUriCompliance(compliance));
            server.getContainedBeans(ServletHandler.class).forEach(servlets -> servlets.setDecodeAmbiguousURIs(decode));
        });
    }
}
