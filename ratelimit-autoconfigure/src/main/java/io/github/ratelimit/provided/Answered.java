package io.github.ratelimit.provided;

import io.github.ratelimit.LimitProvider;
import io.github.ratelimit.policy.Allowance;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is known about one key: the last answer, and whether another one is being asked for. */
final class Answered {

    private final AtomicBoolean asking = new AtomicBoolean();
    private final AtomicInteger version = new AtomicInteger();
    private final CountDownLatch first = new CountDownLatch(1);
    private volatile @Nullable Answer answer;
    private volatile @Nullable Meant meant;

    /** An answer, and when it has to be asked for again. */
    private record Answer(LimitProvider.@Nullable Limit limit, int version, long until) {}

    /** What an answer means in a zone as it is configured now. */
    private record Meant(
            LimitProvider.Limit limit,
            Function<LimitProvider.Limit, Allowance> meaning,
            @Nullable Allowance allowance) {}

    /** Whether there is no answer, or one that is too old or outdated. */
    boolean mustBeAsked(long nowNanos) {
        Answer last = answer;
        return last == null || last.version != version.get() || nowNanos - last.until >= 0;
    }

    /** Whether a question has ended, with an answer or a failure. */
    boolean isKnown() {
        return answer != null;
    }

    /** The version that an answer has to which the question is put at this moment. */
    int version() {
        return version.get();
    }

    /** Whatever was answered or is being asked for is outdated. */
    void outdate() {
        version.incrementAndGet();
    }

    /** Whether the caller may ask: nobody else does until it has an answer or a failure. */
    boolean begin() {
        return asking.compareAndSet(false, true);
    }

    /** Takes an answer; one that was asked for before it was outdated will be asked for again. */
    void answer(LimitProvider.@Nullable Limit limit, int asOf, long untilNanos) {
        answer = new Answer(limit, asOf, untilNanos);
        end();
    }

    /** The question failed: the last answer stays in force, or that there is none, until it is time to ask again. */
    void fail(long untilNanos) {
        Answer last = answer;
        answer = new Answer(last == null ? null : last.limit, version.get(), untilNanos);
        end();
    }

    private void end() {
        asking.set(false);
        first.countDown();
    }

    /** Waits for the first answer; whether it came in time. */
    boolean await(long nanos) {
        try {
            return first.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** What the last answer means, {@code null} when the zone's own limit counts. */
    @Nullable
    Allowance allowance(Function<LimitProvider.Limit, Allowance> meaning, Consumer<RuntimeException> complaint) {
        Answer last = answer;
        LimitProvider.Limit limit = last == null ? null : last.limit;
        if (limit == null) {
            return null;
        }
        Meant known = meant;
        if (known == null || known.limit != limit || known.meaning != meaning) {
            known = new Meant(limit, meaning, read(limit, meaning, complaint));
            meant = known;
        }
        return known.allowance;
    }

    private static @Nullable Allowance read(
            LimitProvider.Limit limit,
            Function<LimitProvider.Limit, Allowance> meaning,
            Consumer<RuntimeException> complaint) {
        try {
            return meaning.apply(limit);
        } catch (IllegalArgumentException e) {
            complaint.accept(e);
            return null;
        }
    }
}
