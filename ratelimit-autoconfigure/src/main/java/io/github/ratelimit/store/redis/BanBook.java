package io.github.ratelimit.store.redis;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.redis.BanScript.Found;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What this instance knows of the bans in Redis, that keys are not banned included.
 *
 * <p>It asks when it first meets a key, without waiting: on the connection on which the request is decided, and before it, so
 * that it knows by the time of the decision. From then on it hears of changes; what it knows is believed for an hour while it
 * has listened since, and otherwise for a second. A ban stays in force until Redis says otherwise. Bounded: a key that is
 * forgotten is asked about again.
 */
final class BanBook {

    /** Keys kept in mind, about 200 bytes each. */
    private static final int MOST = 50_000;

    private static final long BLIND_NANOS = 1_000_000_000L;
    private static final long LONGEST_NANOS = 3_600_000_000_000L;

    private final ConcurrentMap<RedisKey, Page> pages = Caffeine.newBuilder()
            .maximumSize(MOST)
            .executor(Runnable::run)
            .<RedisKey, Page>build()
            .asMap();
    private final BanScript script;
    private final Watch watch;
    private final LongPredicate heardSince;
    private final FailureLog failures;

    /**
     * A book without entries.
     *
     * @param heardSince whether all that was told on the channel since a time of {@link System#nanoTime} was heard
     */
    BanBook(BanScript script, Watch watch, LongPredicate heardSince, FailureLog failures) {
        this.script = script;
        this.watch = watch;
        this.heardSince = heardSince;
        this.failures = failures;
    }

    /**
     * What is known of a key. Compared by identity, so that no answer overwrites a later question.
     *
     * <p>{@code askedNanos} is when it was asked, {@code answered} whether the answer has come, and {@code ban} the ban in
     * force at {@code banNanos}; while there is no answer, what was known before.
     */
    private static final class Page {

        private final long askedNanos;
        private final boolean answered;
        private final @Nullable Ban ban;
        private final long banNanos;

        Page(long askedNanos, boolean answered, @Nullable Ban ban, long banNanos) {
            this.askedNanos = askedNanos;
            this.answered = answered;
            this.ban = ban;
            this.banNanos = banNanos;
        }

        @Nullable
        Ban ban(long now) {
            if (ban == null || ban.permanent()) {
                return ban;
            }
            long rest = ban.restNanos() - (now - banNanos);
            return rest > 0 ? new Ban(ban.number(), rest) : null;
        }
    }

    /** Whether Redis is to be asked. */
    boolean isOpen() {
        return watch.isUp();
    }

    /** The ban in force as far as it is known; asks, without waiting, where it is not. */
    @Nullable
    Ban find(RedisKey key) {
        long now = System.nanoTime();
        Page page = pages.get(key);
        if ((page == null || !isFresh(page, now)) && watch.isUp()) {
            Page asked = ask(key, page);
            page = asked != null ? asked : pages.get(key);
        }
        return page == null ? null : page.ban(now);
    }

    private boolean isFresh(Page page, long now) {
        long age = now - page.askedNanos;
        if (age < BLIND_NANOS && !page.answered) {
            return true;
        }
        boolean over = page.ban != null && page.ban(now) == null;
        return page.answered
                && !over
                && (age < BLIND_NANOS || (age < LONGEST_NANOS && heardSince.test(page.askedNanos)));
    }

    /** Asks anew; {@code null} when somebody else has changed the page meanwhile. */
    private @Nullable Page ask(RedisKey key, @Nullable Page before) {
        Page asked = before == null
                ? new Page(System.nanoTime(), false, null, 0)
                : new Page(System.nanoTime(), false, before.ban, before.banNanos);
        boolean mine = before == null ? pages.putIfAbsent(key, asked) == null : pages.replace(key, before, asked);
        if (!mine) {
            return null;
        }
        counted(script.look(watch.link(), key, 0)).whenComplete((found, failure) -> {
            if (failure == null) {
                pages.replace(key, asked, new Page(asked.askedNanos, true, found.ban(), System.nanoTime()));
            }
        });
        return asked;
    }

    /** Something has become of a key: whoever has met it asks again. */
    void heard(RedisKey key) {
        Page page = pages.get(key);
        while (page != null && ask(key, page) == null) {
            page = pages.get(key);
        }
    }

    /** Notes a refusal, and asks again where that has led to a ban. */
    CompletionStage<Found> strike(RedisKey key, Penalty penalty) {
        return counted(script.strike(watch.link(), key, penalty)).whenComplete((found, failure) -> {
            if (failure == null && found.ban() != null) {
                heard(key);
            }
        });
    }

    /** How a key stands. */
    CompletionStage<Found> look(RedisKey key, long withinNanos) {
        return counted(script.look(watch.link(), key, withinNanos));
    }

    /** Lifts the ban of a key: here at once, elsewhere as soon as it is heard of. */
    void lift(RedisKey key) {
        if (watch.isUp()) {
            counted(script.lift(watch.link(), key)).whenComplete((done, failure) -> heard(key));
        }
        // without Redis the ban is forgotten here, until it is asked about again
        pages.put(key, new Page(System.nanoTime(), false, null, 0));
    }

    /** Has a server learn the script before a request needs it. */
    CompletionStage<Found> introduce(Link link, RedisKey key) {
        return script.look(link, key, 0);
    }

    private CompletionStage<Found> counted(CompletionStage<Found> answer) {
        return answer.whenComplete((found, failure) -> {
            if (failure != null) {
                StoreUnavailableException reason = Failures.of(failure);
                failures.count(reason.kind());
                failures.tell(reason);
            }
        });
    }
}
