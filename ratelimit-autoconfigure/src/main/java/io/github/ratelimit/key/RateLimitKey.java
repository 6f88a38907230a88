package io.github.ratelimit.key;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who is counted in a zone, in bounded space: an address, a short text, or the digest of anything secret or long.
 *
 * <p>Kinds never collide: a user named {@code 203.0.113.7} is not the address. Equality is exact for addresses and
 * texts; digests are SHA-256 cut to 128 bits.
 */
public final class RateLimitKey {

    /** Texts up to this many bytes in UTF-8 are kept as they are. */
    public static final int MAX_TEXT_BYTES = 64;

    private static final MessageDigest SHA_256 = sha256();
    private static final long HASH_SEED = new SecureRandom().nextLong();
    private static final long HASH_MULTIPLIER = new SecureRandom().nextLong() | 1;

    private final Kind kind;
    private final long high;
    private final long low;
    private final @Nullable String text;

    /** What a key is made of. */
    public enum Kind {
        /** A client's address, cut to its prefix. */
        ADDRESS,
        /** A text that is short and no secret. */
        TEXT,
        /** The digest of a text. */
        DIGEST
    }

    private RateLimitKey(Kind kind, long high, long low, @Nullable String text) {
        this.kind = kind;
        this.high = high;
        this.low = low;
        this.text = text;
    }

    /** The key of an address that is already cut to its prefix. */
    public static RateLimitKey ofAddress(IpAddress address) {
        return new RateLimitKey(Kind.ADDRESS, address.high(), address.low(), null);
    }

    /** The key of a text that is no secret; a long one becomes its digest. */
    public static RateLimitKey ofText(String text) {
        if (text.length() <= MAX_TEXT_BYTES
                && (isAscii(text) || text.getBytes(StandardCharsets.UTF_8).length <= MAX_TEXT_BYTES)) {
            return new RateLimitKey(Kind.TEXT, 0, 0, text);
        }
        return ofSecret(text);
    }

    /** The key of a text that must not be kept. */
    public static RateLimitKey ofSecret(String text) {
        byte[] digest = digest(text.getBytes(StandardCharsets.UTF_8));
        return new RateLimitKey(Kind.DIGEST, longAt(digest, 0), longAt(digest, 8), null);
    }

    /** What this key is made of. */
    public Kind kind() {
        return kind;
    }

    /** The upper 64 bits of an address or digest. */
    long high() {
        return high;
    }

    /** The lower 64 bits of an address or digest. */
    long low() {
        return low;
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0x7f) {
                return false;
            }
        }
        return true;
    }

    private static byte[] digest(byte[] bytes) {
        try {
            return ((MessageDigest) SHA_256.clone()).digest(bytes);
        } catch (CloneNotSupportedException e) {
            return sha256().digest(bytes);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }

    private static long longAt(byte[] bytes, int offset) {
        long value = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            value = value << 8 | (bytes[offset + i] & 0xff);
        }
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof RateLimitKey that
                        && kind == that.kind
                        && low == that.low
                        && high == that.high
                        && Objects.equals(text, that.text);
    }

    @Override
    public int hashCode() {
        long print = print();
        return (int) (print ^ print >>> 32);
    }

    /** A hash of 64 bits, seeded for each JVM: nobody can choose keys that collide. */
    public long print() {
        long mixed = mix(mix(HASH_SEED, high), low);
        if (text != null) {
            for (int i = 0; i < text.length(); i++) {
                mixed = mix(mixed, text.charAt(i));
            }
        }
        return mixed;
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * HASH_MULTIPLIER;
        return mixed ^ mixed >>> 29;
    }

    /** The key as an operator may read it: the address, the text, or the digest in hexadecimal digits. */
    @Override
    public String toString() {
        if (text != null) {
            return text;
        }
        return kind == Kind.ADDRESS
                ? IpAddress.of(high, low).toString()
                : HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
