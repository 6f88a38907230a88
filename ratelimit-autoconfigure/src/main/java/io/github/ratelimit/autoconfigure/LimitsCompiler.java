package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.LimitProvider;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.autoconfigure.ZoneProperties.KeyOverride;
import io.github.ratelimit.autoconfigure.ZoneProperties.StoreName;
import io.github.ratelimit.autoconfigure.ZoneProperties.Window;
import io.github.ratelimit.key.KeyPattern;
import io.github.ratelimit.key.KeyPlan;
import io.github.ratelimit.key.KeyTable;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.Allowance.Grant;
import io.github.ratelimit.policy.KeyedAllowances;
import io.github.ratelimit.policy.Limits;
import io.github.ratelimit.policy.Limits.Written;
import io.github.ratelimit.policy.Schedule;
import io.github.ratelimit.store.redis.RedisLimits;
import java.time.DateTimeException;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes what a zone grants to certain keys and at certain times. */
final class LimitsCompiler {

    private static final String END_OF_DAY = "24:00";

    private final AlgorithmCompiler algorithms;
    private final InstantSource clock;
    private final Faults faults;

    LimitsCompiler(AlgorithmCompiler algorithms, InstantSource clock, Faults faults) {
        this.algorithms = algorithms;
        this.clock = clock;
        this.faults = faults;
    }

    /**
     * The limits of a zone; what has a fault is left out.
     *
     * @param where the full name of the zone
     * @param plan how it finds its keys
     * @param own its own limit
     */
    Limits compile(String where, ZoneProperties written, KeyPlan plan, Algorithm own) {
        Limits plain = Limits.of(own);
        if (written.overrides().isEmpty() && written.schedule().isEmpty()) {
            return plain;
        }
        List<Written> others = new ArrayList<>();
        KeyedAllowances overrides = overrides(where + ".overrides", written, plan, own, others);
        Schedule schedule = schedule(where + ".schedule", written, others);
        return new Limits(plain.own(), overrides, plain.provided(), schedule, others);
    }

    /**
     * What an answer of the application's provider means in a zone.
     *
     * @throws IllegalArgumentException when it means nothing there
     */
    static Allowance meaning(LimitProvider.Limit limit, ZoneProperties zone, Algorithm own) {
        boolean limited = limit.rate() != null || limit.burst() != null || limit.maxConcurrent() != null;
        if ((limited ? 1 : 0) + (limit.unlimited() ? 1 : 0) + (limit.denied() ? 1 : 0) != 1) {
            throw new IllegalArgumentException(limit + " is not one of a limit, unlimited or denied");
        }
        if (!limited) {
            return new Allowance(limit.unlimited() ? Grant.UNLIMITED : Grant.DENIED, own);
        }
        Faults faults = new Faults();
        Algorithm algorithm = new AlgorithmCompiler(faults)
                .compile(limit.toString(), zone.limitedTo(limit.rate(), limit.burst(), limit.maxConcurrent()));
        if (algorithm == null) {
            throw new IllegalArgumentException(faults.list().toString());
        }
        String tooMuch = zone.store() == StoreName.REDIS ? RedisLimits.tooMuch(algorithm) : null;
        if (tooMuch != null) {
            throw new IllegalArgumentException("The burst of " + limit + " " + tooMuch);
        }
        return Allowance.limited(algorithm);
    }

    private KeyedAllowances overrides(
            String where, ZoneProperties zone, KeyPlan plan, Algorithm own, List<Written> others) {
        if (zone.overrides().isEmpty()) {
            return KeyedAllowances.NONE;
        }
        KeyTable<Allowance> table = new KeyTable<>();
        for (int i = 0; i < zone.overrides().size(); i++) {
            KeyOverride override = zone.overrides().get(i);
            String at = where + "[" + i + "]";
            KeyPattern pattern = pattern(at + ".key", override.key(), plan);
            Allowance allowance = allowance(at, override, zone, own);
            if (allowance != null && allowance.isLimited()) {
                others.add(new Written(at, allowance.algorithm()));
            }
            if (pattern != null && allowance != null && table.put(pattern, allowance) != null) {
                faults.add(at + ".key", "is '" + override.key() + "', which another override names too; remove one");
            }
        }
        return table::find;
    }

    private @Nullable KeyPattern pattern(String where, @Nullable String key, KeyPlan plan) {
        if (key == null || key.isBlank()) {
            faults.add(where, "is missing; write the key as a client sends it, or an address block such as 10.0.0.0/8");
            return null;
        }
        try {
            return KeyPattern.of(plan, key);
        } catch (IllegalArgumentException e) {
            faults.add(where, key, e);
            return null;
        }
    }

    private @Nullable Allowance allowance(String where, KeyOverride override, ZoneProperties zone, Algorithm own) {
        boolean limited = override.rate() != null || override.burst() != null || override.maxConcurrent() != null;
        int said = (limited ? 1 : 0) + (override.unlimited() ? 1 : 0) + (override.deny() ? 1 : 0);
        if (said != 1) {
            faults.add(
                    where,
                    (said == 0 ? "says nothing about its key" : "says several things about its key")
                            + "; write one of a limit (such as rate: 1/s), unlimited: true, or deny: true");
            return null;
        }
        if (!limited) {
            return new Allowance(override.unlimited() ? Grant.UNLIMITED : Grant.DENIED, own);
        }
        return limited(where, zone.limitedTo(override.rate(), override.burst(), override.maxConcurrent()));
    }

    private @Nullable Allowance limited(String where, ZoneProperties written) {
        Algorithm algorithm = algorithms.compile(where, written);
        return algorithm == null ? null : Allowance.limited(algorithm);
    }

    private @Nullable Schedule schedule(String where, ZoneProperties zone, List<Written> others) {
        List<Schedule.Window> windows = new ArrayList<>();
        for (int i = 0; i < zone.schedule().size(); i++) {
            Schedule.Window window =
                    window(where + "[" + i + "]", zone.schedule().get(i), zone);
            if (window != null) {
                windows.add(window);
                others.add(new Written(where + "[" + i + "]", window.allowance().algorithm()));
            }
        }
        return windows.isEmpty() ? null : new Schedule(windows, clock);
    }

    private Schedule.@Nullable Window window(String where, Window window, ZoneProperties zone) {
        LocalTime from = time(where + ".from", window.from());
        LocalTime to = time(where + ".to", window.to());
        ZoneId timeZone = timeZone(where + ".time-zone", window.timeZone());
        if (window.rate() == null && window.burst() == null && window.maxConcurrent() == null) {
            faults.add(where, "has no limit of its own; write one, such as rate: 2/s");
            return null;
        }
        Allowance allowance = limited(where, zone.limitedTo(window.rate(), window.burst(), window.maxConcurrent()));
        if (from != null && from.equals(to) && !isWholeDay(window)) {
            faults.add(where + ".to", "is '" + window.to() + "' like from; write the time at which the window ends");
            return null;
        }
        return from == null || to == null || timeZone == null || allowance == null
                ? null
                : new Schedule.Window(from, to, timeZone, allowance);
    }

    /** From the first to the last moment of the day; what is told apart by its spelling alone. */
    private static boolean isWholeDay(Window window) {
        return END_OF_DAY.equals(String.valueOf(window.to()).strip())
                && !END_OF_DAY.equals(String.valueOf(window.from()).strip());
    }

    private @Nullable LocalTime time(String where, @Nullable String written) {
        String advice = "write a time of day in quotes, such as \"22:00\"";
        if (written == null || written.isBlank()) {
            faults.add(where, "is missing; " + advice);
            return null;
        }
        String text = written.strip();
        try {
            return text.equals(END_OF_DAY) ? LocalTime.MIDNIGHT : LocalTime.parse(text);
        } catch (DateTimeParseException e) {
            boolean number = text.chars().allMatch(c -> c >= '0' && c <= '9');
            faults.add(
                    where,
                    "is '" + written + "'; " + advice
                            + (number ? " (without quotes YAML takes a time for a number of base 60)" : ""));
            return null;
        }
    }

    /** The time zone of the machine never matters: UTC, unless another one is written. */
    private @Nullable ZoneId timeZone(String where, @Nullable String written) {
        if (written == null || written.isBlank()) {
            return ZoneOffset.UTC;
        }
        try {
            return ZoneId.of(written.strip());
        } catch (DateTimeException e) {
            faults.add(where, "is '" + written + "', which is no time zone; write one such as Asia/Shanghai or UTC");
            return null;
        }
    }
}
