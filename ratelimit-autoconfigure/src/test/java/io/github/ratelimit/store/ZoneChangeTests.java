package io.github.ratelimit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ZoneChangeTests {

    @Test
    void ofTextWhenWrittenByToTextThenTheSame() {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            ZoneChange change = new ZoneChange(
                    maybe(random, "100/15m"),
                    maybe(random, random.nextLong()),
                    maybe(random, random.nextInt()),
                    maybe(random, random.nextInt()),
                    maybe(random, random.nextBoolean()));
            assertThat(ZoneChange.ofText(change.toText())).isEqualTo(change);
        }
    }

    @Test
    void ofTextWhenALaterVersionWroteMoreThenLeavesItAside() {
        assertThat(ZoneChange.ofText("rate: 5/s\ncolour: blue\n\nnothing\n"))
                .isEqualTo(new ZoneChange("5/s", null, null, null, null));
    }

    @Test
    void ofTextWhenAValueIsRubbishThenRefuses() {
        assertThatThrownBy(() -> ZoneChange.ofText("burst: many")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void thenWhenBothNameTheSameThenTheLaterWins() {
        ZoneChange earlier = new ZoneChange("5/s", 10L, null, 7, null);
        ZoneChange later = new ZoneChange("6/s", null, 3, null, true);

        assertThat(earlier.then(later)).isEqualTo(new ZoneChange("6/s", 10L, 3, 7, true));
        assertThat(ZoneChange.NONE.then(earlier)).isEqualTo(earlier);
        assertThat(ZoneChange.NONE.isEmpty()).isTrue();
        assertThat(earlier.isEmpty()).isFalse();
    }

    private static <T> @Nullable T maybe(Random random, T value) {
        return random.nextBoolean() ? value : null;
    }
}
