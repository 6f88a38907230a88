package io.github.ratelimit.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * A script that runs in Redis, and the digest under which a server knows it.
 *
 * @param source as it is sent when the server does not know it yet
 * @param digest the SHA-1 of the source, in hexadecimal digits
 */
record Script(byte[] source, String digest) {

    /** Where the source lies, beside this class. */
    static final String RESOURCE = "decide.lua";

    /** The script of this build. */
    static Script decide() {
        return read(RESOURCE);
    }

    /** The script that keeps how keys behave. */
    static Script bans() {
        return read("bans.lua");
    }

    private static Script read(String resource) {
        try (InputStream in = Objects.requireNonNull(Script.class.getResourceAsStream(resource), resource)) {
            return of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A script and its digest. */
    static Script of(byte[] source) {
        try {
            return new Script(
                    source,
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
