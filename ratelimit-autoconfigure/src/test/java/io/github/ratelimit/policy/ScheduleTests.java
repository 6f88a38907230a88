package io.github.ratelimit.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.policy.Schedule.Window;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTests {

    private static final Allowance NIGHT = allowance("2/s");
    private static final Allowance OTHER = allowance("3/s");

    private Instant now = Instant.parse("2026-11-29T12:00:00Z");
    private int readings;
    private final InstantSource clock = () -> {
        readings++;
        return now;
    };

    @ParameterizedTest
    @CsvSource({
        "2026-11-29T21:59:59.999, false",
        "2026-11-29T22:00:00, true",
        "2026-11-30T00:00:00, true",
        "2026-11-30T05:59:59.999, true",
        "2026-11-30T06:00:00, false"
    })
    void nowWhenTheWindowSpansMidnightThenHoldsFromItsBeginToItsEnd(LocalDateTime wall, boolean holds) {
        Schedule schedule = schedule(window("22:00", "06:00", "Asia/Shanghai", NIGHT));
        now = wall.atZone(ZoneId.of("Asia/Shanghai")).toInstant();

        assertThat(schedule.now()).isEqualTo(holds ? NIGHT : null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-29T00:00:00Z",
                "2026-11-29T12:00:00Z",
                "2026-11-29T23:59:59.999Z",
                "2026-03-29T01:00:00Z",
                "2026-10-25T00:30:00Z"
            })
    void nowWhenTheWindowIsTheWholeDayThenAlwaysHolds(Instant at) {
        assertHolds("00:00", "00:00", at, true);
    }

    @Test
    void nowWhenWindowsOverlapThenTheFirstWins() {
        Schedule schedule = schedule(window("11:00", "12:30", "UTC", OTHER), window("10:00", "14:00", "UTC", NIGHT));

        assertThat(schedule.now()).isEqualTo(OTHER);
        now = now.plus(Duration.ofHours(1));
        assertThat(schedule.now()).isEqualTo(NIGHT);
        now = now.plus(Duration.ofHours(1));
        assertThat(schedule.now()).isNull();
    }

    /** Berlin, 2026-03-29: the clocks go from 2:00 to 3:00. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            01:00, 02:30, 2026-03-29T00:59:59Z, true
            01:00, 02:30, 2026-03-29T01:00:00Z, false
            02:15, 02:45, 2026-03-29T01:00:00Z, false
            02:15, 02:45, 2026-03-29T01:20:00Z, false
            02:30, 04:00, 2026-03-29T00:59:59Z, false
            02:30, 04:00, 2026-03-29T01:00:00Z, true
            02:30, 04:00, 2026-03-29T02:00:00Z, false
            """)
    void nowWhenAnHourIsLeftOutThenTheClockOnTheWallDecides(String from, String to, Instant at, boolean holds) {
        assertHolds(from, to, at, holds);
    }

    /** Berlin, 2026-10-25: the clocks go from 3:00 back to 2:00, so that 2:30 comes at 0:30Z and at 1:30Z. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            02:30, 02:45, 2026-10-25T00:29:59Z, false
            02:30, 02:45, 2026-10-25T00:30:00Z, true
            02:30, 02:45, 2026-10-25T00:45:00Z, false
            02:30, 02:45, 2026-10-25T01:30:00Z, true
            02:30, 02:45, 2026-10-25T01:45:00Z, false
            01:00, 03:00, 2026-10-25T01:59:59Z, true
            01:00, 03:00, 2026-10-25T02:00:00Z, false
            """)
    void nowWhenAnHourComesTwiceThenTheClockOnTheWallDecides(String from, String to, Instant at, boolean holds) {
        assertHolds(from, to, at, holds);
    }

    /** What is kept until the next change must be what a fresh look would say, at every minute of two odd days. */
    @ParameterizedTest
    @CsvSource({"2026-03-28T20:00:00Z", "2026-10-24T20:00:00Z"})
    void nowWhenTimePassesThenWhatIsKeptIsNeverStale(Instant start) {
        for (String[] times : new String[][] {{"22:00", "06:00"}, {"02:15", "02:45"}, {"00:00", "02:00"}}) {
            Window window = window(times[0], times[1], "Europe/Berlin", NIGHT);
            now = start;
            Schedule schedule = schedule(window);
            for (int minute = 0; minute < 48 * 60; minute++) {
                now = start.plus(Duration.ofMinutes(minute));
                assertThat(schedule.now()).as("%s", now).isEqualTo(window.holds(now) ? NIGHT : null);
            }
        }
    }

    @Test
    void nowWhenTheClockJumpsBackThenFollows() {
        Schedule schedule = schedule(window("13:00", "14:00", "UTC", NIGHT));
        now = Instant.parse("2026-11-29T13:00:00Z");
        assertThat(schedule.now()).isEqualTo(NIGHT);
        now = Instant.parse("2026-11-29T12:59:59Z");
        assertThat(schedule.now()).isNull();
    }

    @Test
    void nowWhenNothingChangesThenReadsTheClockOnce() {
        Schedule schedule = schedule(window("13:00", "14:00", "UTC", NIGHT));
        int before = readings;
        for (int i = 0; i < 100; i++) {
            schedule.now();
        }
        assertThat(readings - before).isEqualTo(100);
    }

    private void assertHolds(String from, String to, Instant at, boolean holds) {
        Schedule schedule = schedule(window(from, to, "Europe/Berlin", NIGHT));
        now = at;
        assertThat(schedule.now()).isEqualTo(holds ? NIGHT : null);
    }

    private Schedule schedule(Window... windows) {
        return new Schedule(List.of(windows), clock);
    }

    private static Window window(String from, String to, String zone, Allowance allowance) {
        return new Window(LocalTime.parse(from), LocalTime.parse(to), ZoneId.of(zone), allowance);
    }

    private static Allowance allowance(String rate) {
        return Allowance.limited(TokenBucket.of(Rate.parse(rate), 5));
    }
}
