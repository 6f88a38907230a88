package io.github.ratelimit.key;

/** The verb that a request counts as: one that reaches the handlers for another verb falls under that one's rules. */
public final class Verb {

    private static final String GET = "GET";

    private Verb() {}

    /**
     * The verb that rules and keys know a request by.
     *
     * @param method the verb as it was sent, or written in a rule, in its own case
     * @return {@code GET} for HEAD, which handlers for GET answer, and for CONNECT, by which a WebSocket is asked for over
     *     HTTP/2 (RFC 8441) as it is by GET over HTTP/1.1; any other as it is
     */
    public static String counted(String method) {
        return switch (method) {
            case "HEAD", "CONNECT" -> GET;
            default -> method;
        };
    }
}
