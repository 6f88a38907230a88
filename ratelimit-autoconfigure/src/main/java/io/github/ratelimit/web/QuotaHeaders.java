package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.key.ClientAddress;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import org.springframework.http.HttpHeaders;

/**
 * Tells a client about its quota, where that is wanted: one zone, the one with the fewest permits left.
 *
 * <p>Headers are set as soon as the request is decided, so that they precede a streamed body.
 */
public final class QuotaHeaders {

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final Format format;
    private final Audience audience;
    private final boolean exposeToScripts;
    private final ClientAddress clients;

    /** How the quota is written. */
    public enum Format {
        /** Not at all: how much is left is nobody's business. */
        NONE("Retry-After"),
        /** As draft 11 of the IETF's RateLimit header fields for HTTP. */
        DRAFT_11("RateLimit, RateLimit-Policy, Retry-After"),
        /** The {@code X-RateLimit-} headers of many public APIs. */
        LEGACY("X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After");

        private final String names;

        Format(String names) {
            this.names = names;
        }
    }

    /** Who sees the quota. */
    public enum Audience {
        /** Every client. */
        EVERYONE,
        /** Users who have proved who they are. */
        AUTHENTICATED,
        /** Clients whose peer is a trusted proxy: a gateway that strips or reads the headers. */
        TRUSTED_PROXIES
    }

    /**
     * What is written, and for whom.
     *
     * @param exposeToScripts whether browsers are told to let scripts of other origins read the headers
     * @param clients tells whether the peer is a trusted proxy
     */
    public QuotaHeaders(Format format, Audience audience, boolean exposeToScripts, ClientAddress clients) {
        this.format = format;
        this.audience = audience;
        this.exposeToScripts = exposeToScripts;
        this.clients = clients;
    }

    /** Whether it depends on the user who sees them. */
    boolean dependOnIdentity() {
        return format != Format.NONE && audience == Audience.AUTHENTICATED;
    }

    /** Writes the quota of a decision; a later and stricter decision about the same request replaces it. */
    public void write(HttpServletRequest request, HttpServletResponse response, Decision decision) {
        if (exposes(request)) {
            expose(response);
        }
        if (format == Format.NONE || !decision.counted() || !isAudience(request)) {
            return;
        }
        if (format == Format.DRAFT_11) {
            writeDraft(response, decision);
        } else {
            response.setHeader("X-RateLimit-Limit", Long.toString(decision.limit()));
            response.setHeader("X-RateLimit-Remaining", Long.toString(decision.remaining()));
            response.setHeader("X-RateLimit-Reset", Long.toString(seconds(decision.resetAfter())));
        }
    }

    /** The response for what comes behind the filter; what that says to scripts does not replace what is said here. */
    HttpServletResponse lasting(HttpServletRequest request, HttpServletResponse response) {
        return exposes(request) ? new ExposingResponse(response, format.names) : response;
    }

    private boolean exposes(HttpServletRequest request) {
        return exposeToScripts && request.getHeader(HttpHeaders.ORIGIN) != null;
    }

    private void expose(HttpServletResponse response) {
        if (!response.getHeaders(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS).contains(format.names)) {
            response.addHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, format.names);
        }
    }

    private boolean isAudience(HttpServletRequest request) {
        return switch (audience) {
            case EVERYONE -> true;
            case AUTHENTICATED -> request.getUserPrincipal() != null;
            case TRUSTED_PROXIES -> clients.peerTrusted(request);
        };
    }

    /** A refused client reads in {@code t} when it may come back, an admitted one when its quota is whole. */
    private static void writeDraft(HttpServletResponse response, Decision decision) {
        StringBuilder policy = new StringBuilder(48);
        quote(decision.zone(), policy);
        int name = policy.length();
        policy.append(";q=").append(decision.limit());
        if (!decision.window().isZero()) {
            policy.append(";w=").append(seconds(decision.window()));
        }
        Duration wait = decision.retryAfter() == null ? decision.resetAfter() : decision.retryAfter();
        response.setHeader("RateLimit-Policy", policy.toString());
        response.setHeader(
                "RateLimit", policy.substring(0, name) + ";r=" + decision.remaining() + ";t=" + seconds(wait));
    }

    /**
     * An RFC 9651 string: printable ASCII, quotes and backslashes escaped. It has no other characters, so these are written
     * as in a URL, byte by byte of UTF-8; what only looks like that has its percent sign written so, too, and no two names
     * look alike.
     */
    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            char c = text.charAt(i);
            if (c < 0x20 || c > 0x7e || isTriplet(text, i)) {
                percent(Character.toString(text.codePointAt(i)), out);
                continue;
            }
            if (c == '"' || c == '\\') {
                out.append('\\');
            }
            out.append(c);
        }
        out.append('"');
    }

    private static boolean isTriplet(String text, int at) {
        return text.charAt(at) == '%'
                && at + 2 < text.length()
                && HexFormat.isHexDigit(text.charAt(at + 1))
                && HexFormat.isHexDigit(text.charAt(at + 2));
    }

    private static void percent(String character, StringBuilder out) {
        for (byte octet : character.getBytes(StandardCharsets.UTF_8)) {
            out.append('%').append(HEX.toHexDigits(octet));
        }
    }

    private static long seconds(Duration duration) {
        return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
    }
}
