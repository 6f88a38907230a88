package org.springframework.cloud.context.environment;

import java.util.Set;
import org.springframework.context.ApplicationEvent;

/** Stands for Spring Cloud's event, which is known by its name alone. */
public final class EnvironmentChangeEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    /** Says which properties have changed. */
    public EnvironmentChangeEvent(Set<String> keys) {
        super(keys);
    }
}
