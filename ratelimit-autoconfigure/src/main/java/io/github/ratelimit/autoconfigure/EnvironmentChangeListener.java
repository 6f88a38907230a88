package io.github.ratelimit.autoconfigure;

import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;

/**
 * Follows Spring Cloud's event of a changed environment. The event is known by its name, so that Spring Cloud need not be
 * there; the name is looked at once for each type of event.
 */
final class EnvironmentChangeListener implements SmartApplicationListener {

    private static final String EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private final LimitSources sources;

    EnvironmentChangeListener(LimitSources sources) {
        this.sources = sources;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> eventType) {
        return eventType.getName().equals(EVENT);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        sources.applicationChanged();
    }
}
