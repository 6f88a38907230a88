package io.github.ratelimit.web;

import java.util.List;

/** Prefixes that are limited only where a rule names them, such as those of Actuator's endpoints. */
@FunctionalInterface
public interface ExemptPathSource {

    /** The prefixes, below the context path; asked once, at the first request. */
    List<String> paths();
}
