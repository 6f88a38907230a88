package io.github.ratelimit.key;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a zone finds its key: one resolver or several, and what stands in for a missing value.
 *
 * @param parts the resolvers, at least one
 * @param missing what happens when a request lacks a value
 * @param clients reads the addresses that stand in, when a person writes them
 */
public record KeyPlan(List<KeyPart> parts, MissingKey missing, ClientAddress clients) {

    /** What happens to a request that has no key. */
    public enum MissingKey {
        /** The client's address stands in. */
        CLIENT_IP,
        /** The zone is not charged. */
        SKIP,
        /** The request is refused. */
        REJECT
    }

    /** Copies the parts. */
    public KeyPlan {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("A key needs a resolver");
        }
    }

    /** A plan that reads addresses with the prefix lengths that a configuration has by default. */
    public KeyPlan(List<KeyPart> parts, MissingKey missing) {
        this(parts, missing, ClientAddress.PEER);
    }

    /** Whether the key can be known only after Spring Security has run. */
    public boolean needsIdentity() {
        for (KeyPart part : parts) {
            if (part.needsIdentity()) {
                return true;
            }
        }
        return false;
    }

    /** The resolvers as they are written in the configuration. */
    public List<String> names() {
        return parts.stream().map(KeyPart::name).toList();
    }

    /**
     * Who this request counts for.
     *
     * @return the key, or {@code null} when it lacks a value and no address stands in: the zone's {@link #missing()}
     *     says what that means. With {@link MissingKey#CLIENT_IP} even the address is unknown: such a request can only
     *     be refused
     */
    public @Nullable RateLimitKey resolve(RequestView view) {
        return resolve(view, true);
    }

    /** Who this request counts for as long as it has not proved an identity. */
    public @Nullable RateLimitKey resolveWithoutIdentity(RequestView view) {
        return resolve(view, false);
    }

    private @Nullable RateLimitKey resolve(RequestView view, boolean identified) {
        if (parts.size() == 1) {
            RateLimitKey key = value(parts.get(0), view, identified);
            return key != null ? key : standIn(view);
        }
        CompositeKey composite = new CompositeKey();
        for (KeyPart part : parts) {
            RateLimitKey key = value(part, view, identified);
            RateLimitKey standIn = key == null ? standIn(view) : null;
            if (key != null) {
                composite.add(key);
            } else if (standIn != null) {
                composite.addStandIn(standIn);
            } else {
                return null;
            }
        }
        return composite.key();
    }

    private static @Nullable RateLimitKey value(KeyPart part, RequestView view, boolean identified) {
        return identified || !part.needsIdentity() ? part.resolve(view) : null;
    }

    /** The address that counts a request without a key, where the zone allows one. */
    public @Nullable RateLimitKey standIn(RequestView view) {
        IpAddress client = missing == MissingKey.CLIENT_IP ? view.client() : null;
        return client == null ? null : RateLimitKey.ofAddress(client);
    }

    /**
     * The key of a value as a person writes it. The parts of a composite key are joined by {@code |}; a {@code |} within
     * a part is written {@code \|}. An address that stands in for a part is written {@code client-ip=203.0.113.7}; a
     * part that only looks like it has a {@code \} before it.
     *
     * @throws IllegalArgumentException when no request can have this key
     */
    public RateLimitKey ofRaw(String raw) {
        if (parts.size() == 1) {
            return parts.get(0).ofRaw(raw);
        }
        List<String> values = CompositeKey.split(raw);
        if (values.size() != parts.size()) {
            throw new IllegalArgumentException("has not " + parts.size() + " parts; write them joined by |: "
                    + String.join("|", names()) + "; a | within a part is written \\|");
        }
        CompositeKey composite = new CompositeKey();
        for (int i = 0; i < parts.size(); i++) {
            String value = values.get(i);
            String address = missing == MissingKey.CLIENT_IP ? CompositeKey.standIn(value) : null;
            if (address != null) {
                composite.addStandIn(clients.ofRaw(address));
            } else {
                composite.add(parts.get(i).ofRaw(CompositeKey.unescaped(value)));
            }
        }
        return composite.key();
    }

    /**
     * All keys that a value may mean, as a person writes it: the value itself first, then the address that stands in for
     * a missing one.
     *
     * @return one key or two
     * @throws IllegalArgumentException when no request can have any of these keys
     */
    public List<RateLimitKey> candidates(String raw) {
        List<RateLimitKey> candidates = new ArrayList<>(2);
        IllegalArgumentException fault = null;
        try {
            candidates.add(ofRaw(raw));
        } catch (IllegalArgumentException e) {
            fault = e;
        }
        RateLimitKey standIn = parts.size() == 1 ? standInOfRaw(raw) : null;
        if (standIn != null && !candidates.contains(standIn)) {
            candidates.add(standIn);
        }
        if (candidates.isEmpty() && fault != null) {
            throw fault;
        }
        return List.copyOf(candidates);
    }

    /** The address that stands in for a key, as a person writes it; {@code null} when it is none, or none may stand in. */
    public @Nullable RateLimitKey standInOfRaw(String raw) {
        if (missing != MissingKey.CLIENT_IP) {
            return null;
        }
        try {
            return clients.ofRaw(raw);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
