package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.algorithm.Windowed;
import io.github.ratelimit.store.Demand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How demands are written for the script, and its answers read. Numbers are doubles in big-endian order, all of them whole
 * and below 2<sup>53</sup>, except where more makes no difference.
 *
 * <p>A group: deadline in microseconds since 2020, operation (1 byte), number of demands (1 byte), the demands. A demand:
 * number of its key (2 bytes), its kind (1 byte, its high bit set if it is enforced), and six numbers: cost, the most
 * that may be drawn, the limit, and
 *
 * <ul>
 *   <li>of a bucket the units of a permit and the exponent of {@link BucketScale};
 *   <li>of a window its microseconds and the exponent of {@link WindowScale};
 *   <li>of slots the number of the lease, in the last place.
 * </ul>
 */
final class Wire {

    static final int GROUP = 10;
    static final int DEMAND = 51;
    /** Demands of one group; a request has a handful. */
    static final int MAX_DEMANDS = 255;

    /** Seconds from 1970 to 2020: what the script calls the beginning of time. */
    static final long EPOCH_SECONDS = 1_577_836_800L;

    private static final byte BUCKET = 0;
    private static final byte FIXED = 1;
    private static final byte SLIDING = 2;
    private static final byte SLOTS = 3;
    private static final byte ENFORCED = (byte) 0x80;
    private static final long MAX_COST = 1L << 50;

    /** What became of a group. */
    private static final int REFUSED = 0;

    private static final int LATE = 255;

    private Wire() {}

    static void writeGroup(ByteBuffer out, double deadlineMicros, Call.Operation operation, int demands) {
        out.putDouble(deadlineMicros).put((byte) operation.ordinal()).put((byte) demands);
    }

    static void writeDemand(ByteBuffer out, Wish wish, int key) {
        Demand demand = wish.demand();
        Algorithm algorithm = demand.algorithm();
        out.putShort((short) key).put((byte) (kind(algorithm) | (demand.enforced() ? ENFORCED : 0)));
        out.putDouble(Math.min(demand.cost(), MAX_COST)).putDouble(wish.most()).putDouble(algorithm.limit());
        if (algorithm instanceof Windowed windowed) {
            WindowScale scale = WindowScale.of(windowed);
            out.putDouble(scale.micros()).putDouble(scale.exponent()).putDouble(0);
        } else if (algorithm instanceof Concurrency) {
            out.putDouble(0).putDouble(0).putDouble(wish.lease());
        } else {
            BucketScale scale = scale(algorithm);
            out.putDouble(scale.permit()).putDouble(scale.exponent()).putDouble(0);
        }
    }

    /**
     * Reads what became of a group.
     *
     * @return {@code null} when it came too late and nothing was done
     */
    static @Nullable List<Answer> readGroup(ByteBuffer in, Call call) {
        int fate = in.get() & 0xff;
        if (fate == LATE) {
            return null;
        }
        if (!call.operation().answers()) {
            return List.of();
        }
        List<Answer> answers = new ArrayList<>(call.wishes().size());
        for (Wish wish : call.wishes()) {
            answers.add(readAnswer(in, wish.demand()));
        }
        return answers;
    }

    private static Answer readAnswer(ByteBuffer in, Demand demand) {
        boolean admitted = in.get() != REFUSED;
        Algorithm algorithm = demand.algorithm();
        if (algorithm instanceof Windowed windowed) {
            long elapsed = (long) in.getDouble();
            long before = (long) in.getDouble();
            long drawn = (long) in.getDouble();
            long taken = (long) in.getDouble();
            return new Answer(WindowScale.step(windowed, admitted, elapsed, before, drawn, taken), taken);
        }
        if (algorithm instanceof Concurrency concurrency) {
            return new Answer(concurrency.judge((long) in.getDouble(), demand.cost()), demand.cost());
        }
        long level = (long) in.getDouble();
        long rest = (long) in.getDouble();
        BucketScale scale = scale(algorithm);
        if (!admitted) {
            return new Answer(scale.refused(level, demand.cost(), algorithm.limit(), rest), 0);
        }
        Step step = scale.admitted(level, algorithm.limit(), delay(algorithm, scale, level, demand.cost()));
        return new Answer(step, rest);
    }

    private static long delay(Algorithm algorithm, BucketScale scale, long level, long cost) {
        return algorithm instanceof LeakyBucket bucket && cost > 0 && bucket.delayAfter() < bucket.burst()
                ? scale.waitNanos(level, cost + bucket.delayAfter())
                : 0;
    }

    private static BucketScale scale(Algorithm algorithm) {
        return BucketScale.of(
                algorithm instanceof TokenBucket bucket ? bucket.rate() : ((LeakyBucket) algorithm).rate());
    }

    private static byte kind(Algorithm algorithm) {
        if (algorithm instanceof Windowed) {
            return algorithm instanceof SlidingWindow ? SLIDING : FIXED;
        }
        return algorithm instanceof Concurrency ? SLOTS : BUCKET;
    }
}
