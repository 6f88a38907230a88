package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What a document shows of a command, against what came of it: word for word, but for the date, and for seconds, which
 * pass slower when a person types.
 */
final class Shown {

    private static final Pattern DATE = Pattern.compile("(?<=^Date: )\\w{3}, \\d\\d \\w{3} \\d{4} [\\d:]{8} GMT$");
    private static final Pattern SECONDS =
            Pattern.compile("(?<=;t=|^Retry-After: |\"retryAfter\":|\"resetAfter\":|again in |^Content-Length: )\\d+");
    private static final Pattern MOMENTS = Pattern.compile("(?<=\\bafter )\\d+\\.\\d+");

    private static final double TYPING = 5;
    private static final double JITTER = 0.5;

    private Shown() {}

    /** Fails unless these lines are those. */
    static void assertSame(List<String> came, List<String> shown) {
        assertThat(withoutTimes(came)).isEqualTo(withoutTimes(shown));
        assertNear(came, shown, SECONDS, TYPING);
        assertNear(came, shown, MOMENTS, JITTER);
    }

    private static void assertNear(List<String> came, List<String> shown, Pattern pattern, double tolerance) {
        List<Double> expected = numbers(shown, pattern);
        List<Double> actual = numbers(came, pattern);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(actual.get(i)).as("%s", came).isCloseTo(expected.get(i), within(tolerance));
        }
    }

    private static List<String> withoutTimes(List<String> lines) {
        return lines.stream()
                .map(String::strip)
                .map(line -> DATE.matcher(line).replaceAll("(date)"))
                .map(line -> SECONDS.matcher(line).replaceAll("(seconds)"))
                .map(line -> MOMENTS.matcher(line).replaceAll("(seconds)"))
                .toList();
    }

    private static List<Double> numbers(List<String> lines, Pattern pattern) {
        return lines.stream()
                .flatMap(line -> pattern.matcher(line).results())
                .map(MatchResult::group)
                .map(Double::valueOf)
                .toList();
    }
}
