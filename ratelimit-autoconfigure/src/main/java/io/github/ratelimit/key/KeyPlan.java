package io.github.ratelimit.key;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a zone finds its key: one resolver or several, and what stands in for a missing value.
 *
 * @param parts the resolvers, at least one
 * @param missing what happens when a request lacks a value
 */
public record KeyPlan(List<KeyPart> parts, MissingKey missing) {

    /** Marks an address that stands in for a missing part; texts that begin like it are escaped. */
    private static final String STAND_IN = "client-ip=";

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
     * @return the key, or {@code null} when it lacks a value and no address stands in: the zone's
     *     {@link #missing()} says what that means
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
        List<RateLimitKey> keys = new ArrayList<>(parts.size());
        boolean[] standIns = new boolean[parts.size()];
        for (int i = 0; i < parts.size(); i++) {
            RateLimitKey key = value(parts.get(i), view, identified);
            if (key == null) {
                key = standIn(view);
                standIns[i] = true;
            }
            if (key == null) {
                return null;
            }
            keys.add(key);
        }
        return joined(keys, standIns);
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
     * The key of a value as a person writes it; the parts of a composite key are joined by {@code |}, and a {@code |}
     * within a part is written {@code \|}.
     *
     * @throws IllegalArgumentException when no request can have this key
     */
    public RateLimitKey ofRaw(String raw) {
        if (parts.size() == 1) {
            return parts.get(0).ofRaw(raw);
        }
        List<String> values = split(raw);
        if (values.size() != parts.size()) {
            throw new IllegalArgumentException("write the " + parts.size() + " parts of the key joined by |: "
                    + names().stream().collect(Collectors.joining("|")));
        }
        List<RateLimitKey> keys = new ArrayList<>(parts.size());
        boolean[] standIns = new boolean[parts.size()];
        for (int i = 0; i < parts.size(); i++) {
            String value = values.get(i);
            standIns[i] = value.startsWith(STAND_IN);
            keys.add(
                    standIns[i]
                            ? RateLimitKey.ofText(value.substring(STAND_IN.length()))
                            : parts.get(i).ofRaw(value));
        }
        return joined(keys, standIns);
    }

    private static RateLimitKey joined(List<RateLimitKey> keys, boolean[] standIns) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < keys.size(); i++) {
            String part = keys.get(i).toString();
            if (i > 0) {
                text.append('|');
            }
            if (standIns[i]) {
                text.append(STAND_IN);
            } else if (part.startsWith(STAND_IN)) {
                text.append('\\');
            }
            escape(part, text);
        }
        return RateLimitKey.ofText(text.toString());
    }

    private static void escape(String part, StringBuilder text) {
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c == '|' || c == '\\') {
                text.append('\\');
            }
            text.append(c);
        }
    }

    private static List<String> split(String raw) {
        List<String> values = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '\\' && i + 1 < raw.length() && (raw.charAt(i + 1) == '|' || raw.charAt(i + 1) == '\\')) {
                value.append(raw.charAt(++i));
            } else if (c == '|') {
                values.add(value.toString());
                value.setLength(0);
            } else {
                value.append(c);
            }
        }
        values.add(value.toString());
        return values;
    }
}
