package io.github.ratelimit.actuate;

import io.github.ratelimit.Decision;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.Bans.Standing;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What one key may still draw from one zone.
 *
 * <p>Think of {@code 30/m} with a burst of 5 that has just been used up: {@code limit} 5, {@code remaining} 0,
 * {@code retryAfter} 2, {@code resetAfter} 10. Two seconds later {@code remaining} is 1, {@code retryAfter} 0 and
 * {@code resetAfter} 8.
 *
 * @param key the key as the reader may see it
 * @param limit the most permits that it may draw at once; {@code null}, and left out of the answer, when it is unlimited
 * @param remaining permits that it could draw now; {@code null}, and left out of the answer, when it is unlimited
 * @param retryAfter whole seconds, rounded up, until it can draw one permit: 0 when it can now, {@code null} when no
 *     wait helps
 * @param resetAfter whole seconds, rounded up, until its quota is whole if it draws nothing
 * @param banned whether it is banned, whatever it has left
 * @param bannedUntil when its ban ends, to the millisecond; {@code null} when it is not banned, or banned until somebody releases it
 * @param strikes rejections that count towards its next ban
 */
public record KeyDescriptor(
        String key,
        @Nullable Long limit,
        @Nullable Long remaining,
        @Nullable Long retryAfter,
        long resetAfter,
        boolean banned,
        @Nullable Instant bannedUntil,
        int strikes)
        implements OperationResponseBody {

    /**
     * Describes a key.
     *
     * @param key the key as the reader may see it
     * @param now what the key has
     * @param next what its next draw of one permit would be told
     * @param standing how it stands with a zone that bans
     * @param time the wall clock
     */
    static KeyDescriptor of(String key, Decision now, Decision next, Standing standing, Instant time) {
        Ban ban = standing.ban();
        boolean unlimited = now.limit() == Decision.UNLIMITED;
        return new KeyDescriptor(
                key,
                unlimited ? null : now.limit(),
                unlimited ? null : Long.valueOf(ban == null ? now.remaining() : 0),
                // an override that frees a key frees it from a ban, too
                retryAfter(next, unlimited ? null : ban),
                seconds(now.resetAfter()),
                ban != null,
                ban == null || ban.permanent() ? null : end(ban, time),
                standing.strikes());
    }

    /** To the millisecond: wall clock and rest are read one after the other, and the end of a ban must not move with each look. */
    private static Instant end(Ban ban, Instant time) {
        return time.plusNanos(ban.restNanos()).plusNanos(500_000).truncatedTo(ChronoUnit.MILLIS);
    }

    /** The ban is heard of apart from the quota, so that either may be the longer wait. */
    private static @Nullable Long retryAfter(Decision next, @Nullable Ban ban) {
        Duration wait = next.permitted() ? Duration.ZERO : next.retryAfter();
        if (wait == null || (ban != null && ban.permanent())) {
            return null;
        }
        return Math.max(seconds(wait), ban == null ? 0 : seconds(Duration.ofNanos(ban.restNanos())));
    }

    private static long seconds(Duration duration) {
        return duration.toSeconds() + (duration.toNanosPart() > 0 ? 1 : 0);
    }
}
