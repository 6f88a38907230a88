package io.github.ratelimit.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.Bans.Standing;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class KeyDescriptorTests {

    private static final Decision QUOTA = new Decision(
            Outcome.PERMITTED, "zone", null, 1, 1, Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO, Duration.ZERO);

    /** Between two looks wall clock and rest of the ban move on by almost the same. */
    @Test
    void ofWhenTheKeyIsBannedThenItsEndDoesNotMoveWithEachLook() {
        Instant time = Instant.parse("2026-11-30T11:57:41.000000400Z");
        Instant end = Instant.parse("2026-11-30T11:58:41.862Z");

        assertThat(banned(60_862_000_000L, time).bannedUntil()).isEqualTo(end);
        assertThat(banned(60_861_000_000L - 441, time.plusNanos(1_000_000)).bannedUntil())
                .isEqualTo(end);
        assertThat(banned(60_861_999_000L, time).bannedUntil()).isEqualTo(end);
    }

    private static KeyDescriptor banned(long restNanos, Instant time) {
        return KeyDescriptor.of("key", QUOTA, QUOTA, new Standing(0, new Ban(1, restNanos)), time);
    }
}
