package io.github.ratelimit.web;

import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.key.RequestPath;
import io.github.ratelimit.key.ServletRequestView;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.observe.Origin;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a request has to pay by its URL rule, and by the rules above where the rule inherits them.
 *
 * @param policy the policy that was in force when the request came
 * @param rules the rule of its path; two where Spring MVC may dispatch on another reading of an odd path
 * @param view the request
 */
record RequestCharges(Policy policy, List<Rule> rules, ServletRequestView view) implements Origin {

    @Override
    public @Nullable String rule() {
        return rules.isEmpty() ? null : rules.get(0).name();
    }

    @Override
    public String method() {
        return view.request().getMethod();
    }

    @Override
    public String path() {
        return view.request().getRequestURI();
    }

    @Override
    public @Nullable String userAgent() {
        return view.request().getHeader("User-Agent");
    }

    /** The rules that limit a request, on every reading of its path. */
    static RequestCharges of(Policy policy, ServletRequestView view, ExemptPaths exempt) {
        Rule rule = limiting(policy, view.path(), view, exempt);
        RequestPath literal = view.literalPath();
        Rule other = literal == null ? null : limiting(policy, literal, view, exempt);
        if (rule == null || other == null || rule == other) {
            Rule only = rule == null ? other : rule;
            return new RequestCharges(policy, only == null ? List.of() : List.of(only), view);
        }
        return new RequestCharges(policy, List.of(rule, other), view);
    }

    private static @Nullable Rule limiting(
            Policy policy, RequestPath path, ServletRequestView view, ExemptPaths exempt) {
        Rule rule = policy.table().find(path, view.method());
        return rule == null || rule.unlimited() || exempt.exempt(path, rule) ? null : rule;
    }

    /** The charges of one pass. */
    List<Charge> in(Pass pass) {
        List<Charge> charges = new ArrayList<>(2);
        forEachZone((rule, zone) -> {
            if (zone.key().needsIdentity() == (pass == Pass.AUTHENTICATED)) {
                add(charges, zone, zone.key().resolve(view), rule);
            }
        });
        return charges;
    }

    /** Whether any of the zones counts by identity, so that the second pass has the last say. */
    boolean needIdentity() {
        boolean[] needs = new boolean[1];
        forEachZone((rule, zone) -> needs[0] |= zone.key().needsIdentity());
        return needs[0];
    }

    /**
     * What a request will have to pay in place of an identity that it turns out not to have: looked at in the early
     * pass, and charged when the request ends before the other pass.
     */
    List<Charge> withoutIdentity() {
        List<Charge> charges = new ArrayList<>(1);
        forEachZone((rule, zone) -> {
            if (zone.key().needsIdentity() && zone.key().missing() == MissingKey.CLIENT_IP) {
                add(charges, zone, zone.key().resolveWithoutIdentity(view), rule);
            }
        });
        return charges;
    }

    private void forEachZone(BiConsumer<Rule, Zone> action) {
        for (int i = 0; i < rules.size(); i++) {
            for (Rule at = rules.get(i); at != null; at = above(at)) {
                view.matched(at.path());
                for (int j = 0; j < at.zones().size(); j++) {
                    action.accept(at, at.zones().get(j));
                }
            }
        }
    }

    private @Nullable Rule above(Rule rule) {
        return rule.inherit() ? policy.table().above(rule, view.path(), view.method()) : null;
    }

    private void add(List<Charge> charges, Zone zone, @Nullable RateLimitKey key, Rule rule) {
        if (key != null || zone.key().missing() != MissingKey.SKIP) {
            charges.add(new Charge(zone, key, rule.cost(), policy.dryRun() || rule.dryRun() || zone.dryRun()));
        }
    }
}
