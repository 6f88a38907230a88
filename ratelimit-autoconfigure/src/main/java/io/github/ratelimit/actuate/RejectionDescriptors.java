package io.github.ratelimit.actuate;

import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.observe.Offenders.Offender;
import io.github.ratelimit.observe.Refusal;
import io.github.ratelimit.observe.SafeText;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the endpoint shows of refusals; every text that a client has sent is escaped. */
public final class RejectionDescriptors {

    private RejectionDescriptors() {}

    /**
     * A key that was refused often.
     *
     * @param key the key as the reader may see it
     * @param count at least how often it was refused, dry runs included
     * @param lastAt when last
     */
    public record TopRejected(String key, long count, Instant lastAt) {

        static TopRejected of(Offender offender, Function<RateLimitKey, String> shown) {
            return new TopRejected(SafeText.escaped(shown.apply(offender.key())), offender.count(), offender.lastAt());
        }
    }

    /**
     * One refusal.
     *
     * @param time when
     * @param rule the name of the rule, or of the annotated method
     * @param key the key as the reader may see it; {@code null} when the request had none
     * @param method the verb, {@code null} for a call without a request
     * @param path the path as it was sent, without the query; {@code null} for a call without a request
     * @param userAgent what the client says it is, {@code null} when it does not
     * @param reason why, in the words of {@code rejections}
     * @param dryRun whether the request went on all the same
     */
    public record RecentRejection(
            Instant time,
            @Nullable String rule,
            @Nullable String key,
            @Nullable String method,
            @Nullable String path,
            @Nullable String userAgent,
            String reason,
            boolean dryRun) {

        static RecentRejection of(Refusal refusal, Function<RateLimitKey, String> shown) {
            RateLimitKey key = refusal.key();
            return new RecentRejection(
                    refusal.at(),
                    escaped(refusal.rule()),
                    key == null ? null : SafeText.escaped(shown.apply(key)),
                    escaped(refusal.method()),
                    escaped(refusal.path()),
                    escaped(refusal.userAgent()),
                    camelCase(String.valueOf(refusal.decision().reason())),
                    refusal.dryRun());
        }
    }

    private static @Nullable String escaped(@Nullable String text) {
        return text == null ? null : SafeText.escaped(text);
    }

    private static String camelCase(String constant) {
        String lower = constant.toLowerCase(Locale.ROOT);
        int underscore = lower.indexOf('_');
        return underscore < 0
                ? lower
                : lower.substring(0, underscore)
                        + Character.toUpperCase(lower.charAt(underscore + 1))
                        + lower.substring(underscore + 2);
    }
}
