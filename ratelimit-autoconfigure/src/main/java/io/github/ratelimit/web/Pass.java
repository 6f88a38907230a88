package io.github.ratelimit.web;

/** When a filter decides. */
public enum Pass {
    /** Before Spring Security: zones that need no identity. */
    EARLY,
    /** After Spring Security: zones keyed by who the user has proved to be. */
    AUTHENTICATED
}
