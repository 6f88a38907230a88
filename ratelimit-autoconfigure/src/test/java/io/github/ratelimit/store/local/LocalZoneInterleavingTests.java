package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two operations on one key, the second run whole at each place in the first where a state has been read and not yet
 * changed: the outcome is that of one after the other. The reading of the clock is that place. The clock itself stands
 * still: only then can one number mean two states.
 */
class LocalZoneInterleavingTests {

    private static final Algorithm LOOK = Kind.TOKEN_BUCKET.limit("3/d", 3);
    private static final Step DRAWN = new Step(Step.Verdict.ADMITTED, 0, 0, 0, 0);

    /** What can be done to a zone; it returns what the caller sees. */
    private record Operation(String name, BiFunction<LocalZone, Algorithm, String> body, Algorithm limit) {

        String on(LocalZone zone) {
            return body.apply(zone, limit);
        }

        @Override
        public String toString() {
            return name + " at " + limit.rate() + " of " + limit.name();
        }
    }

    /** What two operations and all later ones see. */
    private record Outcome(String first, String second, String afterwards) {}

    /** Of each pair of kinds that can say each other's consumption. */
    @ParameterizedTest
    @CsvSource({
        "TOKEN_BUCKET, TOKEN_BUCKET",
        "TOKEN_BUCKET, LEAKY_BUCKET",
        "FIXED_WINDOW, FIXED_WINDOW",
        "SLIDING_WINDOW, FIXED_WINDOW",
        "TOKEN_BUCKET, SLIDING_WINDOW"
    })
    void operationsWhenOneRunsInTheMiddleOfAnotherThenOutcomeIsThatOfOneAfterTheOther(Kind one, Kind other) {
        List<Operation> operations = operations(one.limit("3/s", 3), other.limit("3/m", 3));
        int met = 0;
        for (List<Operation> before : List.of(List.<Operation>of(), operations.subList(0, 1), operations)) {
            for (Operation first : operations) {
                for (Operation second : operations) {
                    Outcome firstThenSecond = run(before, first, second, Integer.MAX_VALUE);
                    Outcome swapped = run(before, second, first, Integer.MAX_VALUE);
                    Outcome secondThenFirst = new Outcome(swapped.second, swapped.first, swapped.afterwards);
                    for (int reading = 1; reading <= 6; reading++) {
                        Outcome outcome = run(before, first, second, reading);
                        assertThat(outcome)
                                .as("after %s, %s with %s in it at reading %d", before, first, second, reading)
                                .isIn(firstThenSecond, secondThenFirst);
                        met += outcome.equals(firstThenSecond) ? 0 : 1;
                    }
                }
            }
        }
        assertThat(met).as("interleavings that mattered").isPositive();
    }

    private static List<Operation> operations(Algorithm one, Algorithm other) {
        List<Operation> operations = new ArrayList<>();
        for (Algorithm limit : List.of(one, other)) {
            operations.add(new Operation("draw of 1", (zone, l) -> said(zone.acquire(key(1), l, 1)), limit));
            operations.add(new Operation("draw of 3", (zone, l) -> said(zone.acquire(key(1), l, 3)), limit));
            operations.add(new Operation("look", (zone, l) -> said(zone.peek(key(1), l, 1)), limit));
            operations.add(new Operation("refund", (zone, l) -> done(() -> zone.refund(key(1), l, 1, DRAWN)), limit));
            operations.add(new Operation("debt", (zone, l) -> done(() -> zone.charge(key(1), l, 4, DRAWN)), limit));
        }
        operations.add(new Operation("forget", (zone, l) -> done(() -> zone.forget(key(1))), one));
        operations.add(new Operation("sweep", (zone, l) -> done(zone::sweep), one));
        return operations;
    }

    private static Outcome run(List<Operation> before, Operation first, Operation second, int reading) {
        SteppedTicker ticker = new SteppedTicker();
        LocalZone zone = new LocalZone(10, true, ticker);
        before.forEach(operation -> operation.on(zone));
        List<String> seen = new ArrayList<>();
        ticker.stepInAt(reading, () -> seen.add(second.on(zone)));
        String said = first.on(zone);
        if (seen.isEmpty()) {
            ticker.stepInAt(Integer.MAX_VALUE, () -> {});
            seen.add(second.on(zone));
        }
        return new Outcome(
                said,
                seen.get(0),
                said(zone.peek(key(1), LOOK, 1)) + ", " + zone.usage().keys());
    }

    private static String said(Step step) {
        return step.verdict() + " " + step.remaining();
    }

    private static String done(Runnable operation) {
        operation.run();
        return "done";
    }
}
