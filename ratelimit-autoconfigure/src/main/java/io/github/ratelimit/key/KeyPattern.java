package io.github.ratelimit.key;

import org.jspecify.annotations.Nullable;

/**
 * The keys of a zone that a person means by a text: one key, or a block of client addresses. Exactly one of the two is
 * there.
 *
 * @param key the one key
 * @param block addresses that are counted apart from each other
 */
public record KeyPattern(
        @Nullable RateLimitKey key, @Nullable CidrBlock block) {

    private static final String TEXT = "text=";

    /** Checks that one of them is there. */
    public KeyPattern {
        if ((key == null) == (block == null)) {
            throw new IllegalArgumentException("A pattern is a key or a block");
        }
    }

    /**
     * Reads a pattern. Where a zone counts addresses it is an address or a block of them; else the value as a client sends
     * it, the parts of a composite key joined by {@code |}. The addresses that stand in for a missing value are written
     * {@code client-ip=10.0.0.0/8}: a value that anybody can send must not be mistaken for an address. What an annotation's
     * expression gives to a zone that counts addresses is written {@code text=acme}.
     *
     * @throws IllegalArgumentException with a sentence that follows the text, when no request can have such a key
     */
    public static KeyPattern of(KeyPlan plan, String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("names nobody; write a key such as 203.0.113.7");
        }
        if (plan.parts().size() > 1) {
            return new KeyPattern(plan.ofRaw(text), null);
        }
        KeyPart part = plan.parts().get(0);
        if (part.countsAddresses()) {
            return text.startsWith(TEXT)
                    ? new KeyPattern(RateLimitKey.ofText(text.substring(TEXT.length())), null)
                    : ofClients(plan.clients(), text);
        }
        String standIn = plan.missing() == KeyPlan.MissingKey.CLIENT_IP ? CompositeKey.standIn(text) : null;
        return standIn != null
                ? ofClients(plan.clients(), standIn)
                : new KeyPattern(part.ofRaw(CompositeKey.unmarked(text)), null);
    }

    private static KeyPattern ofClients(ClientAddress clients, String text) {
        CidrBlock block = clients.block(text);
        return block.prefixLength() == clients.prefixLength(block.isIpv4())
                ? new KeyPattern(RateLimitKey.ofAddress(block.first()), null)
                : new KeyPattern(null, block);
    }
}
