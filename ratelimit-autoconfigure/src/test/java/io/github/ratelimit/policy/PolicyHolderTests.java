package io.github.ratelimit.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyHolderTests {

    private final PolicyHolder holder = new PolicyHolder();
    private final Policy dryRun = new Policy(true, Map.of(), List.of(), new RuleTable(List.of(), true));

    @Test
    void onChangeWhenSubscribedThenToldOfThePolicyInForceAndOfLaterOnes() {
        Policy first = holder.get();
        List<Policy> heard = new ArrayList<>();
        holder.onChange(heard::add);
        holder.set(dryRun);
        assertThat(heard).containsExactly(first, dryRun);
    }

    @Test
    void onChangeWhenToldThenThePolicyIsInForceAlready() {
        List<Policy> inForce = new ArrayList<>();
        holder.onChange(policy -> inForce.add(holder.get()));
        holder.set(dryRun);
        assertThat(inForce).last().isSameAs(dryRun);
    }

    @Test
    void onChangeWhenUnsubscribedThenHearsNoMoreAndOthersStillDo() {
        List<Policy> left = new ArrayList<>();
        List<Policy> stayed = new ArrayList<>();
        Runnable unsubscribe = holder.onChange(left::add);
        holder.onChange(stayed::add);
        unsubscribe.run();
        holder.set(dryRun);
        assertThat(left).hasSize(1);
        assertThat(stayed).hasSize(2);
    }
}
