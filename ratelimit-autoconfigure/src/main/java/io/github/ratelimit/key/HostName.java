package io.github.ratelimit.key;

import java.util.Locale;

/** One spelling for all spellings of a host: lower case, without port and without the dot of the DNS root. */
final class HostName {

    private HostName() {}

    static String canonical(String host) {
        int end = portStart(host);
        if (end > 1 && host.charAt(end - 1) == '.') {
            end--;
        }
        return host.substring(0, end).toLowerCase(Locale.ROOT);
    }

    private static int portStart(String host) {
        int bracket = host.startsWith("[") ? host.indexOf(']') : -1;
        if (bracket > 0) {
            return bracket + 1;
        }
        int colon = host.indexOf(':');
        // Several colons without brackets are an IPv6 address.
        return colon > 0 && host.indexOf(':', colon + 1) < 0 ? colon : host.length();
    }
}
