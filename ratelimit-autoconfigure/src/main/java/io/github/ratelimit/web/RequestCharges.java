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
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a request has to pay by its URL rule, and by the rules above where the rule inherits them.
 *
 * @param policy the policy that was in force when the request came
 * @param matches the rule of its path; several where parts of the application may read an odd path in several ways
 * @param view the request
 */
record RequestCharges(Policy policy, List<Match> matches, ServletRequestView view) implements Origin {

    /**
     * A rule that limits the request.
     *
     * @param path what the path was taken for
     */
    record Match(Rule rule, RequestPath path) {}

    @Override
    public @Nullable String rule() {
        return matches.isEmpty() ? null : matches.get(0).rule().name();
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
        Match match = match(policy, view.path(), view, exempt);
        Collection<RequestPath> others = view.otherPaths();
        if (others.isEmpty()) {
            return new RequestCharges(policy, match == null ? List.of() : List.of(match), view);
        }
        List<Match> matches = new ArrayList<>(1 + others.size());
        if (match != null) {
            matches.add(match);
        }
        for (RequestPath path : others) {
            Match other = match(policy, path, view, exempt);
            if (other != null) {
                matches.add(other);
            }
        }
        return new RequestCharges(policy, matches, view);
    }

    private static @Nullable Match match(Policy policy, RequestPath path, ServletRequestView view, ExemptPaths exempt) {
        Rule rule = policy.table().find(path, view.method());
        return rule == null || rule.unlimited() || exempt.exempt(path, rule) ? null : new Match(rule, path);
    }

    /** The rules that limit the request, each once. */
    List<Rule> rules() {
        return switch (matches.size()) {
            case 0 -> List.of();
            case 1 -> List.of(matches.get(0).rule());
            default -> matches.stream().map(Match::rule).distinct().toList();
        };
    }

    /** The charges of one pass; some may name the same zone and key. */
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
     * pass, and charged when the request ends before the other pass. Some may name the same zone and key.
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
        for (int i = 0; i < matches.size(); i++) {
            RequestPath path = matches.get(i).path();
            for (Rule at = matches.get(i).rule(); at != null; at = above(at, path)) {
                view.matched(at.path(), path);
                for (int j = 0; j < at.zones().size(); j++) {
                    action.accept(at, at.zones().get(j));
                }
            }
        }
    }

    private @Nullable Rule above(Rule rule, RequestPath path) {
        return rule.inherit() ? policy.table().above(rule, path, view.method()) : null;
    }

    private void add(List<Charge> charges, Zone zone, @Nullable RateLimitKey key, Rule rule) {
        if (key != null || zone.key().missing() != MissingKey.SKIP) {
            charges.add(new Charge(zone, key, rule.cost(), policy.dryRun() || rule.dryRun() || zone.dryRun()));
        }
    }
}
