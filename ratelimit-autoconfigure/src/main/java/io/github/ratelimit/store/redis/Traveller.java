package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import io.github.ratelimit.store.redis.Call.Operation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes wishes to Redis: those whose keys lie together in one call, all calls at the same time. Where a call is refused or
 * fails, what the others drew is given back.
 */
final class Traveller implements Lane.Traffic {

    /** What a probe draws on: whole again after a thousandth of a second. */
    static final TokenBucket PROBE = TokenBucket.of(new Rate(1, 1_000_000L, "1/ms"), 1_000_000);

    private static final long SETTLE_NANOS = 1_000_000_000L;
    private static final long PROBE_NANOS = 1_000_000_000L;

    private final ServerClock clock = new ServerClock();
    private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();
    private final byte[] instance;
    private final byte[] channel;
    private @Nullable Watch watch;

    Traveller(byte[] instance, String channel) {
        this.instance = instance;
        this.channel = channel.getBytes(StandardCharsets.UTF_8);
    }

    /** Whose connection is used; told once, before anything is asked. */
    void follow(Watch watcher) {
        this.watch = watcher;
    }

    /**
     * Asks, and waits for the answers.
     *
     * @param arrival told of the answers, unless they come apart
     * @throws StoreUnavailableException when there is none to one of the wishes
     */
    List<Answer> ask(Operation operation, List<Wish> wishes, long deadlineNanos, @Nullable Arrival arrival) {
        Link link = link();
        if (link == null) {
            throw new StoreUnavailableException(Kind.UNREACHABLE, "there is no connection to Redis", null);
        }
        if (wishes.size() == 1 || inOneLane(link, wishes)) {
            Call call = new Call(operation, wishes, deadlineNanos, true, arrival);
            lane(link.lane(wishes.get(0).key())).submit(call);
            return call.await();
        }
        return askApart(operation, wishes, deadlineNanos, link);
    }

    /** Sends a wish that nobody waits for. */
    void send(Operation operation, Wish wish, long deadlineNanos) {
        Link link = link();
        if (link != null) {
            lane(link.lane(wish.key())).submit(new Call(operation, List.of(wish), deadlineNanos, false));
        }
    }

    private static boolean inOneLane(Link link, List<Wish> wishes) {
        int first = link.lane(wishes.get(0).key());
        for (int i = 1; i < wishes.size(); i++) {
            if (link.lane(wishes.get(i).key()) != first) {
                return false;
            }
        }
        return true;
    }

    private List<Answer> askApart(Operation operation, List<Wish> wishes, long deadlineNanos, Link link) {
        Map<Integer, List<Wish>> apart = new LinkedHashMap<>();
        wishes.forEach(wish -> apart.computeIfAbsent(link.lane(wish.key()), lane -> new ArrayList<>())
                .add(wish));
        List<Call> calls = new ArrayList<>(apart.size());
        apart.forEach((number, together) -> {
            Call call = new Call(operation, together, deadlineNanos, true);
            calls.add(call);
            lane(number).submit(call);
        });
        Map<Wish, Answer> answers = new IdentityHashMap<>();
        List<Wish> drawn = new ArrayList<>();
        boolean refused = false;
        StoreUnavailableException failure = null;
        for (Call call : calls) {
            try {
                List<Answer> each = call.await();
                refused |= !note(call, each, answers, drawn);
            } catch (StoreUnavailableException e) {
                failure = e;
            }
        }
        if (operation == Operation.ACQUIRE && (refused || failure != null)) {
            long deadline = System.nanoTime() + SETTLE_NANOS;
            drawn.forEach(wish -> send(Operation.REFUND, wish, deadline));
        }
        if (failure != null) {
            throw failure;
        }
        return operation.answers() ? wishes.stream().map(answers::get).toList() : List.of();
    }

    /** Notes the answers to a call, and what it drew; false when it was refused. */
    private static boolean note(Call call, List<Answer> each, Map<Wish, Answer> answers, List<Wish> drawn) {
        boolean refused = false;
        List<Wish> admitted = new ArrayList<>();
        for (int i = 0; i < each.size(); i++) {
            Wish wish = call.wishes().get(i);
            answers.put(wish, each.get(i));
            if (each.get(i).step().admitted()) {
                admitted.add(wish.drawing(each.get(i).drawn()));
            } else {
                refused |= wish.demand().enforced();
            }
        }
        if (!refused) {
            drawn.addAll(admitted);
        }
        return !refused;
    }

    /** Whether an answer is long overdue. */
    boolean isStuck(long patienceNanos) {
        return lanes.values().stream().anyMatch(lane -> lane.isStuck(patienceNanos));
    }

    private Lane lane(int number) {
        Lane lane = lanes.get(number);
        return lane != null ? lane : lanes.computeIfAbsent(number, absent -> new Lane(this));
    }

    /** Makes a decision for nobody; the server's time is known afterwards. */
    CompletionStage<byte[]> probe(Link link, RedisKey key) {
        return travel(link, key).thenCompose(answer -> {
            // what was asked before the server's time was known came too late to be done
            heard((long) ByteBuffer.wrap(answer).getDouble());
            return travel(link, key);
        });
    }

    private CompletionStage<byte[]> travel(Link link, RedisKey key) {
        Demand demand = new Demand("probe", RateLimitKey.ofText("probe"), PROBE, 1, true, 1);
        Trip trip = pack(List.of(new Call(
                Operation.ACQUIRE, List.of(new Wish(demand, key, 1, 0)), System.nanoTime() + PROBE_NANOS, false)));
        return link.run(trip.keys(), trip.arguments());
    }

    @Override
    public @Nullable Link link() {
        Watch watcher = watch;
        return watcher == null ? null : watcher.link();
    }

    @Override
    public Trip pack(List<Call> calls) {
        return Trip.of(calls, clock, instance, channel);
    }

    @Override
    public void arrived() {
        if (watch != null) {
            watch.succeeded();
        }
    }

    @Override
    public StoreUnavailableException failed(Throwable cause) {
        StoreUnavailableException failure = Failures.of(cause);
        if (watch != null) {
            watch.failed(failure);
        }
        return failure;
    }

    @Override
    public void heard(long serverMicros) {
        clock.heard(serverMicros, System.nanoTime());
    }
}
