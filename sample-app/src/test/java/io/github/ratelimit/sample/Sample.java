package io.github.ratelimit.sample;

import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A shop that a test opens for itself, on a free port, because it wants it fresh or with settings of its own. */
record Sample(ConfigurableApplicationContext context) implements AutoCloseable {

    /**
     * Opens one.
     *
     * @param settings properties, as {@code name=value}, that go before those of the shop
     */
    static Sample start(String... settings) {
        String[] arguments = Stream.concat(Stream.of("server.port=0"), Arrays.stream(settings))
                .map(setting -> "--" + setting)
                .toArray(String[]::new);
        return new Sample(new SpringApplicationBuilder(SampleApplication.class)
                .main(SampleApplication.class)
                .run(arguments));
    }

    int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    @Override
    public void close() {
        context.close();
    }
}
