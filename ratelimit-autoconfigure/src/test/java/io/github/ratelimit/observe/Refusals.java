package io.github.ratelimit.observe;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.key.RateLimitKey;
import java.time.Duration;
import java.time.Instant;

/** Refusals to remember. */
final class Refusals {

    static final Instant NOW = Instant.parse("2026-11-29T19:49:00Z");

    private Refusals() {}

    static Refusal of(String path) {
        return at(NOW, Outcome.REJECTED, path, "curl/8.5.0");
    }

    static Refusal at(Instant at, Outcome outcome, String path, String userAgent) {
        Decision decision = new Decision(
                outcome,
                "login",
                Reason.LIMIT,
                5,
                0,
                Duration.ofSeconds(50),
                Duration.ofSeconds(50),
                Duration.ofSeconds(10),
                Duration.ZERO);
        return new Refusal(at, decision, RateLimitKey.ofText("alice"), "POST /api/login", "POST", path, userAgent);
    }
}
