package io.github.ratelimit.web;

import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.key.RequestView;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says what a request has to pay by its URL rule, and by the rules above where the rule inherits them. */
final class RequestCharges {

    private RequestCharges() {}

    /** The charges of one pass. */
    static List<Charge> of(Policy policy, Rule rule, RequestView view, Pass pass) {
        List<Charge> charges = new ArrayList<>(2);
        for (Rule at = rule; at != null; at = above(policy, at, view)) {
            for (int i = 0; i < at.zones().size(); i++) {
                Zone zone = at.zones().get(i);
                if (zone.key().needsIdentity() == (pass == Pass.AUTHENTICATED)) {
                    add(charges, zone, zone.key().resolve(view), at, policy);
                }
            }
        }
        return charges;
    }

    /** Whether any of the zones counts by identity, so that the second pass has the last say. */
    static boolean needIdentity(Policy policy, Rule rule, RequestView view) {
        for (Rule at = rule; at != null; at = above(policy, at, view)) {
            for (int i = 0; i < at.zones().size(); i++) {
                if (at.zones().get(i).key().needsIdentity()) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * What a request will have to pay in place of an identity that it turns out not to have: looked at in the early
     * pass, and charged when the request ends before the other pass.
     */
    static List<Charge> withoutIdentity(Policy policy, Rule rule, RequestView view) {
        List<Charge> charges = List.of();
        for (Rule at = rule; at != null; at = above(policy, at, view)) {
            for (int i = 0; i < at.zones().size(); i++) {
                Zone zone = at.zones().get(i);
                if (zone.key().needsIdentity() && zone.key().missing() == MissingKey.CLIENT_IP) {
                    charges = charges.isEmpty() ? new ArrayList<>(1) : charges;
                    add(charges, zone, zone.key().resolveWithoutIdentity(view), at, policy);
                }
            }
        }
        return charges;
    }

    private static @Nullable Rule above(Policy policy, Rule rule, RequestView view) {
        return rule.inherit() ? policy.table().above(rule, view.path(), view.method()) : null;
    }

    private static void add(List<Charge> charges, Zone zone, @Nullable RateLimitKey key, Rule rule, Policy policy) {
        if (key != null || zone.key().missing() != MissingKey.SKIP) {
            charges.add(new Charge(zone, key, rule.cost(), policy.dryRun() || rule.dryRun() || zone.dryRun()));
        }
    }
}
