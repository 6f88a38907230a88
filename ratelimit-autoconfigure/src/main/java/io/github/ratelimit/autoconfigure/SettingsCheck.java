package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.autoconfigure.RateLimitProperties.ClientIp;
import io.github.ratelimit.autoconfigure.RateLimitProperties.Filter;
import io.github.ratelimit.autoconfigure.RateLimitProperties.Redis;
import io.github.ratelimit.autoconfigure.RateLimitProperties.Reload;
import io.github.ratelimit.key.CidrBlock;
import io.github.ratelimit.policy.RuleTable;
import java.time.Duration;

/** Checks the settings that stand beside zones and rules. */
final class SettingsCheck {

    /** Longer than any decision may take, and short enough to be added to any time in nanoseconds. */
    private static final Duration LONGEST_BUDGET = Duration.ofDays(1);

    private static final Duration LONGEST_INTERVAL = Duration.ofDays(365);

    private SettingsCheck() {}

    /** Whether a decision may take as long. */
    static boolean isBudget(Duration timeout) {
        return isWithin(timeout, LONGEST_BUDGET);
    }

    /** Whether a file may be looked at as often. */
    static boolean isInterval(Duration interval) {
        return isWithin(interval, LONGEST_INTERVAL);
    }

    private static boolean isWithin(Duration time, Duration longest) {
        return time.compareTo(Duration.ZERO) > 0 && time.compareTo(longest) <= 0;
    }

    static void check(RateLimitProperties properties, Faults faults) {
        checkClientIp(properties.clientIp(), faults);
        int status = properties.response().status();
        checkRange("ratelimit.response.status", status, 400, 599, faults);
        checkFilter(properties.filter(), faults);
        checkReload(properties.reload(), faults);
        checkRedis(properties.redis(), faults);
    }

    private static void checkReload(Reload reload, Faults faults) {
        if (!isInterval(reload.interval())) {
            faults.add(
                    "ratelimit.reload.interval",
                    "is " + reload.interval() + "; write a time above zero and of a year at most, such as 5s");
        }
        String location = reload.location();
        try {
            if (location != null && !location.isBlank()) {
                ReloadFile.path(location);
            }
        } catch (IllegalArgumentException e) {
            faults.add("ratelimit.reload.location", location, e);
        }
    }

    private static void checkRedis(Redis redis, Faults faults) {
        if (!isBudget(redis.timeout())) {
            faults.add(
                    "ratelimit.redis.timeout",
                    "is not above zero and at most a day; write how long a decision may take at most, such as 100ms");
        }
        if (redis.database() != null && redis.database() < 0) {
            faults.add(
                    "ratelimit.redis.database", "is " + redis.database() + "; write the index of a database, from 0");
        }
        if (redis.keyPrefix().isBlank()) {
            faults.add("ratelimit.redis.key-prefix", "is empty; write what tells this application's keys from others");
        }
    }

    private static void checkClientIp(ClientIp clientIp, Faults faults) {
        for (int i = 0; i < clientIp.trustedProxies().size(); i++) {
            String cidr = clientIp.trustedProxies().get(i);
            try {
                CidrBlock.parse(cidr);
            } catch (IllegalArgumentException e) {
                faults.add("ratelimit.client-ip.trusted-proxies[" + i + "]", cidr, e);
            }
        }
        if (!Tokens.isToken(clientIp.header())) {
            faults.add(
                    "ratelimit.client-ip.header",
                    "is '" + clientIp.header() + "'; write the name of one header, such as X-Forwarded-For");
        }
        checkRange("ratelimit.client-ip.ipv4-prefix-length", clientIp.ipv4PrefixLength(), 0, 32, faults);
        checkRange("ratelimit.client-ip.ipv6-prefix-length", clientIp.ipv6PrefixLength(), 0, 128, faults);
    }

    private static void checkFilter(Filter filter, Faults faults) {
        if (filter.authenticatedOrder() <= filter.order()) {
            faults.add(
                    "ratelimit.filter.authenticated-order",
                    "is " + filter.authenticatedOrder() + ", not behind ratelimit.filter.order (" + filter.order()
                            + "); write a greater number");
        }
        for (int i = 0; i < filter.exclude().size(); i++) {
            String where = "ratelimit.filter.exclude[" + i + "]";
            try {
                for (String segment : RulePath.parse(filter.exclude().get(i)).segments()) {
                    if (RuleTable.isVariable(segment)) {
                        faults.add(where, "has a variable, " + segment + "; write a prefix without one");
                    }
                }
            } catch (IllegalArgumentException e) {
                faults.add(where, String.valueOf(e.getMessage()));
            }
        }
    }

    private static void checkRange(String where, int value, int least, int most, Faults faults) {
        if (value < least || value > most) {
            faults.add(where, "is " + value + "; write a number from " + least + " to " + most);
        }
    }
}
