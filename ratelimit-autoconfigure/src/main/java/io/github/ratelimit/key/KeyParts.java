package io.github.ratelimit.key;

import io.github.ratelimit.KeyResolver;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The key resolvers that a configuration can name. */
public final class KeyParts {

    private static final String FAULT =
            "is no key resolver; write one of client-ip, principal, header:NAME, param:NAME,"
                    + " cookie:NAME, path-variable:NAME, method, path, host, global, bean:NAME";

    private static final String GLOBAL = "global";

    /** Who invents verbs must not get a limit for each: all others count as one. */
    private static final Set<String> VERBS = Set.of("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

    private KeyParts() {}

    /**
     * The resolver of a name such as {@code client-ip} or {@code header:X-Api-Key}.
     *
     * @param name the resolver as it is written in the configuration
     * @param clients reads addresses that are written by hand
     * @param beans gives the bean of a name, {@code null} when there is none or when it is no {@link KeyResolver}
     * @throws IllegalArgumentException with a sentence that follows the name of the property and says what to write
     */
    public static KeyPart of(String name, ClientAddress clients, Function<String, @Nullable KeyResolver> beans) {
        String text = name.strip();
        int colon = text.indexOf(':');
        return colon < 0
                ? plain(text, clients)
                : named(
                        text.substring(0, colon).strip(),
                        text.substring(colon + 1).strip(),
                        beans);
    }

    private static KeyPart plain(String name, ClientAddress clients) {
        return switch (name) {
            case "client-ip" -> new ClientKeyPart(name, clients);
            case "principal" ->
                TextKeyPart.open(name, view -> principal(view.request())).afterLogin();
            case "method" -> TextKeyPart.open(name, RequestView::method).spelt(KeyParts::verb);
            case "path" ->
                TextKeyPart.open(name, view -> view.path().value())
                        .spelt(raw -> RequestPath.of(raw, "").value());
            case "host" ->
                TextKeyPart.open(name, view -> view.request().getServerName()).spelt(HostName::canonical);
            case GLOBAL -> TextKeyPart.open(name, view -> GLOBAL).spelt(KeyParts::global);
            case "header", "param", "cookie", "path-variable", "bean" ->
                throw new IllegalArgumentException("lacks a name; write " + name + ":NAME");
            default -> throw new IllegalArgumentException(FAULT);
        };
    }

    private static KeyPart named(String kind, String name, Function<String, @Nullable KeyResolver> beans) {
        String canonical = kind + ":" + name;
        return switch (kind) {
            case "header" ->
                TextKeyPart.secret(canonical, view -> view.request().getHeader(name))
                        .checked(isToken(name), "names no header; write header:NAME with the header's name");
            case "cookie" ->
                TextKeyPart.secret(canonical, view -> cookie(view.request(), name))
                        .checked(isToken(name), "names no cookie; write cookie:NAME with the cookie's name");
            case "param" ->
                TextKeyPart.secret(
                                canonical,
                                view -> QueryString.first(view.request().getQueryString(), name))
                        .checked(!name.isEmpty(), "names no parameter; write param:NAME with a query parameter's name");
            case "path-variable" ->
                TextKeyPart.open(canonical, view -> view.pathVariable(name))
                        .checked(
                                !name.isEmpty() && name.indexOf('{') < 0 && name.indexOf('}') < 0,
                                "names no path variable; write path-variable:NAME without braces");
            case "bean" -> bean(canonical, name, beans);
            default -> throw new IllegalArgumentException(FAULT);
        };
    }

    private static KeyPart bean(String canonical, String name, Function<String, @Nullable KeyResolver> beans) {
        KeyResolver resolver = name.isEmpty() ? null : beans.apply(name);
        if (resolver == null) {
            throw new IllegalArgumentException("names no KeyResolver; write bean:NAME with the name of a bean of type "
                    + KeyResolver.class.getName());
        }
        return TextKeyPart.open(canonical, view -> resolver.resolve(view.request()));
    }

    private static @Nullable String principal(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        return principal == null ? null : principal.getName();
    }

    private static @Nullable String cookie(HttpServletRequest request, String name) {
        Cookie[] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (cookie.getName().equals(name)) {
                    return cookie.getValue();
                }
            }
        }
        return null;
    }

    private static String verb(String method) {
        String counted = Verb.counted(method);
        return VERBS.contains(counted) ? counted : "OTHER";
    }

    private static String global(String raw) {
        if (!GLOBAL.equals(raw)) {
            throw new IllegalArgumentException("is no key of a global limit; its only key is " + GLOBAL);
        }
        return raw;
    }

    /** Whether HTTP allows it as the name of a header or cookie. */
    private static boolean isToken(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c >= 0x7f || "\"(),/:;<=>?@[\\]{}".indexOf(c) >= 0) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    /** Counts by the client's address. */
    private record ClientKeyPart(String name, ClientAddress clients) implements KeyPart {

        @Override
        public boolean countsAddresses() {
            return true;
        }

        @Override
        public @Nullable RateLimitKey resolve(RequestView view) {
            IpAddress client = view.client();
            return client == null ? null : RateLimitKey.ofAddress(client);
        }

        @Override
        public RateLimitKey ofRaw(String raw) {
            return clients.ofRaw(raw);
        }
    }

    /**
     * Counts by a text that the request carries.
     *
     * @param secret whether only its digest may be kept
     * @param needsIdentity whether it is known only after Spring Security has run
     * @param value finds the text, {@code null} or blank when there is none
     * @param spelling gives all spellings of one value one key
     */
    private record TextKeyPart(
            String name, boolean secret, boolean needsIdentity, Value value, UnaryOperator<String> spelling)
            implements KeyPart {

        static TextKeyPart open(String name, Value value) {
            return new TextKeyPart(name, false, false, value, UnaryOperator.identity());
        }

        static TextKeyPart secret(String name, Value value) {
            return new TextKeyPart(name, true, false, value, UnaryOperator.identity());
        }

        TextKeyPart afterLogin() {
            return new TextKeyPart(name, secret, true, value, spelling);
        }

        TextKeyPart spelt(UnaryOperator<String> spelling) {
            return new TextKeyPart(name, secret, needsIdentity, value, spelling);
        }

        TextKeyPart checked(boolean wellNamed, String fault) {
            if (!wellNamed) {
                throw new IllegalArgumentException(fault);
            }
            return this;
        }

        @Override
        public @Nullable RateLimitKey resolve(RequestView view) {
            String text = value.of(view);
            return text == null || text.isBlank() ? null : key(text);
        }

        @Override
        public RateLimitKey ofRaw(String raw) {
            if (raw.isBlank()) {
                throw new IllegalArgumentException("is blank; a request without a value has no such key");
            }
            return key(raw);
        }

        private RateLimitKey key(String text) {
            String spelt = spelling.apply(text);
            return secret ? RateLimitKey.ofSecret(spelt) : RateLimitKey.ofText(spelt);
        }
    }

    /** Finds a text in a request. */
    @FunctionalInterface
    private interface Value {

        @Nullable
        String of(RequestView view);
    }
}
