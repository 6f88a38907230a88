package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The script that keeps how keys behave: what it is asked, and what it answers. */
final class BanScript {

    private static final long NANOS = 1_000_000;
    /** A hundred years: beyond, milliseconds since 1970 are still whole numbers of a double. */
    private static final long MOST_MILLIS = 36_525L * 86_400_000;

    private final Script script = Script.bans();
    private final String channel;

    BanScript(String channel) {
        this.channel = channel;
    }

    /**
     * How a key stands.
     *
     * @param strikes refusals that count towards the next ban
     * @param ban the ban in force, {@code null} without one
     * @param imposed whether this very call has imposed it
     */
    record Found(int strikes, @Nullable Ban ban, boolean imposed) {}

    CompletionStage<Found> strike(@Nullable Link link, RedisKey key, Penalty penalty) {
        return run(
                link,
                key,
                "strike",
                millis(penalty.withinNanos()),
                Integer.toString(penalty.after()),
                millis(penalty.banNanos()),
                Integer.toString(penalty.multiplier()),
                millis(penalty.maxBanNanos()),
                Integer.toString(penalty.permanentAfter()));
    }

    CompletionStage<Found> look(@Nullable Link link, RedisKey key, long withinNanos) {
        return run(link, key, "look", millis(withinNanos));
    }

    CompletionStage<Found> lift(@Nullable Link link, RedisKey key) {
        return run(link, key, "lift");
    }

    private CompletionStage<Found> run(@Nullable Link link, RedisKey key, String operation, String... more) {
        if (link == null) {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException(Kind.UNREACHABLE, "there is no connection to Redis", null));
        }
        byte[][] arguments = new byte[2 + more.length][];
        arguments[0] = bytes(operation);
        arguments[1] = bytes(channel);
        for (int i = 0; i < more.length; i++) {
            arguments[2 + i] = bytes(more[i]);
        }
        return link.run(script, new byte[][] {key.bytes()}, arguments).thenApply(BanScript::found);
    }

    private static Found found(byte[] answer) {
        String[] words = new String(answer, StandardCharsets.US_ASCII).split(" ", -1);
        int number = Integer.parseInt(words[1]);
        long rest = Long.parseLong(words[2]);
        Ban ban = number == 0 ? null : new Ban(number, rest < 0 ? Step.NEVER : rest * NANOS);
        return new Found(Integer.parseInt(words[0]), ban, "1".equals(words[3]));
    }

    /** Rounded up, so that nothing becomes none. */
    private static String millis(long nanos) {
        return Long.toString(Math.min(nanos / NANOS + (nanos % NANOS == 0 ? 0 : 1), MOST_MILLIS));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
