package io.github.ratelimit.actuate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The console: one page that needs nothing else, made once. Its policy lets only its own script and style run, known by
 * their digests, and lets it talk only to the server that it came from.
 *
 * @param html the page
 * @param policy its content security policy, as it is sent in a header
 */
record ConsolePage(String html, String policy) {

    /** Where the page is on the class path, next to this class. */
    static final String RESOURCE = "console.html";

    private static final String IN_PAGE =
            "default-src 'none'; script-src %s; style-src %s; connect-src 'self'; img-src data:;"
                    + " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    /** A page cannot forbid by itself to be framed; only a header can. */
    private static final String IN_HEADER = "; frame-ancestors 'none'";

    /**
     * The page.
     *
     * @param endpoint the address of the endpoint as seen from the page, such as {@code ratelimit}
     */
    static ConsolePage of(String endpoint) {
        String template = template();
        String policy = IN_PAGE.formatted(digest(template, "script"), digest(template, "style"));
        String html = template.replace("{{csp}}", policy).replace("{{endpoint}}", escaped(endpoint));
        return new ConsolePage(html, policy + IN_HEADER);
    }

    private static String template() {
        try (InputStream resource = ConsolePage.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException("The jar is broken: " + RESOURCE + " is missing");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(String html, String element) {
        String open = "<" + element + ">";
        String content = html.substring(html.indexOf(open) + open.length(), html.indexOf("</" + element + ">"));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }

    private static String escaped(String attribute) {
        return attribute.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    }
}
