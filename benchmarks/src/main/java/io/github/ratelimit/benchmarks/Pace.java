package io.github.ratelimit.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Who asks which questions how often beside the traffic.
 *
 * @param name who
 * @param turns the questions; of those that are due at once the first comes first
 */
record Pace(String name, List<Turn> turns) {

    /** Nobody asks. */
    static final Pace QUIET = new Pace("quiet", List.of());

    /** Copies the turns. */
    Pace {
        turns = List.copyOf(turns);
    }

    /**
     * A question at regular times.
     *
     * @param first when it is asked first
     */
    record Turn(String question, Duration first, Duration every) {

        private long dueNanos(long asked) {
            return first.toNanos() + asked * every.toNanos();
        }
    }

    /** Ten questions a second, in turn. */
    static Pace tenASecond(String name, List<String> questions) {
        Duration pause = Duration.ofMillis(100);
        return new Pace(
                name,
                IntStream.range(0, questions.size())
                        .mapToObj(i ->
                                new Turn(questions.get(i), pause.multipliedBy(i), pause.multipliedBy(questions.size())))
                        .toList());
    }

    /** Asks, one question at a time and each when it is due, until that is enough. */
    void askUntil(BooleanSupplier enough, Consumer<String> question) {
        long start = System.nanoTime();
        long[] asked = new long[turns.size()];
        while (!turns.isEmpty() && !enough.getAsBoolean()) {
            int next = 0;
            for (int i = 1; i < asked.length; i++) {
                next = turns.get(i).dueNanos(asked[i]) < turns.get(next).dueNanos(asked[next]) ? i : next;
            }
            long due = start + turns.get(next).dueNanos(asked[next]++);
            while (System.nanoTime() < due && !enough.getAsBoolean()) {
                LockSupport.parkNanos(Math.min(due - System.nanoTime(), 100_000_000));
            }
            if (!enough.getAsBoolean()) {
                question.accept(turns.get(next).question());
            }
        }
    }
}
