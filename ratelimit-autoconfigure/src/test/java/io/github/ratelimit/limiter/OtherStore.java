package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.ZoneStore;
import io.github.ratelimit.store.local.LocalStore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A shared store that is here, notes what it is asked, and fails when it is told to. Its time stands still. */
final class OtherStore implements SharedStore, AutoCloseable {

    private final LocalStore state = new LocalStore(() -> 0);
    private final List<String> calls = new ArrayList<>();
    private Runnable event = () -> {};
    private boolean failing;

    void fail(boolean failing) {
        this.failing = failing;
    }

    /** Lets something else happen while the next answer is on its way. */
    void beforeAnswer(Runnable happening) {
        event = happening;
    }

    /** What it was asked and answered. */
    List<String> calls() {
        return calls;
    }

    @Override
    public List<Reply> acquire(List<Demand> demands) {
        ask("acquire", demands);
        List<Step> looks = demands.stream()
                .map(demand -> zone(demand).peek(demand.key(), demand.algorithm(), demand.cost()))
                .toList();
        for (int i = 0; i < looks.size(); i++) {
            if (demands.get(i).enforced() && !looks.get(i).admitted()) {
                happen();
                return looks.stream().map(OtherStore::reply).toList();
            }
        }
        List<Reply> replies = demands.stream()
                .map(demand -> reply(zone(demand).acquire(demand.key(), demand.algorithm(), demand.cost())))
                .toList();
        happen();
        return replies;
    }

    private void happen() {
        Runnable happening = event;
        event = () -> {};
        happening.run();
    }

    @Override
    public @Nullable Step known(Demand demand) {
        Step look = zone(demand).peek(demand.key(), demand.algorithm(), demand.cost());
        return look.admitted() ? null : look;
    }

    @Override
    public List<Reply> peek(List<Demand> demands) {
        ask("peek", demands);
        happen();
        return demands.stream()
                .map(demand -> reply(zone(demand).peek(demand.key(), demand.algorithm(), demand.cost())))
                .toList();
    }

    @Override
    public void charge(Demand demand, Reply drawn) {
        calls.add("charge " + demand.zone());
        zone(demand).charge(demand.key(), demand.algorithm(), demand.cost(), drawn.step());
    }

    @Override
    public void refund(Demand demand, Reply drawn) {
        calls.add("refund " + demand.zone());
        zone(demand).refund(demand.key(), demand.algorithm(), demand.cost(), drawn.step());
    }

    @Override
    public void forget(String zone, RateLimitKey key) {
        state.zone(zone, 100, true).forget(key);
    }

    @Override
    public void close() {
        state.close();
    }

    private void ask(String what, List<Demand> demands) {
        if (failing) {
            throw new StoreUnavailableException(StoreUnavailableException.Kind.TIMEOUT, "fails on purpose", null);
        }
        calls.add(what + " " + demands.stream().map(Demand::zone).collect(Collectors.joining(" ")));
    }

    private ZoneStore zone(Demand demand) {
        return state.zone(demand.zone(), 100, true);
    }

    private static Reply reply(Step step) {
        return new Reply(step, true, null);
    }
}
