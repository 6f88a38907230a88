package io.github.ratelimit.observe;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.key.RateLimitKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One refusal, or one that only counted because of a dry run. Its texts are of bounded length, and otherwise as the client
 * sent them: {@link SafeText} makes them fit to be shown.
 *
 * @param at when
 * @param decision what was decided, and by which zone
 * @param key who was counted, {@code null} when the request had no key
 * @param rule the name of the rule or annotated method, {@code null} when it is not known
 * @param method the verb, {@code null} without a request
 * @param path the path, {@code null} without a request
 * @param userAgent what the client says it is, {@code null} when it does not
 */
public record Refusal(
        Instant at,
        Decision decision,
        @Nullable RateLimitKey key,
        @Nullable String rule,
        @Nullable String method,
        @Nullable String path,
        @Nullable String userAgent) {

    private static final int MAX_METHOD = 16;
    private static final int MAX_TEXT = 200;

    /** Cuts the texts. */
    public Refusal {
        rule = SafeText.cut(rule, MAX_TEXT);
        method = SafeText.cut(method, MAX_METHOD);
        path = SafeText.cut(path, MAX_TEXT);
        userAgent = SafeText.cut(userAgent, MAX_TEXT);
    }

    /** A refusal of what this led to. */
    public static Refusal of(Instant at, Decision decision, @Nullable RateLimitKey key, Origin origin) {
        return new Refusal(at, decision, key, origin.rule(), origin.method(), origin.path(), origin.userAgent());
    }

    /** Whether the request went on all the same. */
    public boolean dryRun() {
        return decision.outcome() == Outcome.DRY_RUN_REJECTED;
    }
}
