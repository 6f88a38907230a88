package io.github.ratelimit.policy;

import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Other limits at certain times of the day: the first window that matches wins.
 *
 * <p>A window is in force whenever a clock on the wall of its time zone shows a time from its begin up to, and without,
 * its end. So where the clocks are put back an hour that comes twice counts twice, and where they are put forward the
 * hour that is left out is in no window.
 *
 * <p>What was found is kept until the next time at which it can change: a look costs one reading of the clock. Safe for
 * use by many threads.
 */
public final class Schedule {

    private final List<Window> windows;
    private final InstantSource clock;
    private volatile Span span;

    /**
     * Another limit at a certain time.
     *
     * @param from the time of day at which it begins
     * @param to the time of day at which it ends; before its begin when it spans midnight, and midnight like its begin when it
     *     is the whole day
     * @param zone the time zone of both
     * @param allowance what keys are granted meanwhile
     */
    public record Window(LocalTime from, LocalTime to, ZoneId zone, Allowance allowance) {

        /** Checks that it has a length. */
        public Window {
            if (from.equals(to) && !from.equals(LocalTime.MIDNIGHT)) {
                throw new IllegalArgumentException("A window begins and ends at different times");
            }
        }

        boolean holds(Instant now) {
            LocalTime time = now.atZone(zone).toLocalTime();
            boolean begun = !time.isBefore(from);
            boolean ended = !time.isBefore(to);
            return from.isBefore(to) ? begun && !ended : begun || !ended;
        }

        /** The next time at which it may begin or end; it changes at no other. */
        Instant nextChange(Instant now) {
            ZoneRules rules = zone.getRules();
            ZoneOffsetTransition transition = rules.nextTransition(now);
            Instant next = transition == null ? Instant.MAX : transition.getInstant();
            LocalDate today = now.atZone(zone).toLocalDate();
            for (int days = 0; days <= 2; days++) {
                next = earliest(next, today.plusDays(days), from, rules, now);
                next = earliest(next, today.plusDays(days), to, rules, now);
            }
            return next;
        }

        private static Instant earliest(Instant next, LocalDate day, LocalTime time, ZoneRules rules, Instant now) {
            Instant earliest = next;
            for (ZoneOffset offset : rules.getValidOffsets(day.atTime(time))) {
                Instant instant = day.atTime(time).toInstant(offset);
                if (instant.isAfter(now) && instant.isBefore(earliest)) {
                    earliest = instant;
                }
            }
            return earliest;
        }
    }

    /** What is in force from one time to another, in milliseconds since the epoch. */
    private record Span(long from, long to, @Nullable Allowance allowance) {}

    /**
     * A schedule.
     *
     * @param windows of which the first that matches wins
     * @param clock the wall clock
     */
    public Schedule(List<Window> windows, InstantSource clock) {
        this.windows = List.copyOf(windows);
        this.clock = clock;
        this.span = span(clock.instant());
    }

    /** What keys are granted now; {@code null} outside of all windows. */
    public @Nullable Allowance now() {
        Span current = span;
        long now = clock.millis();
        if (now < current.from || now >= current.to) {
            current = span(Instant.ofEpochMilli(now));
            span = current;
        }
        return current.allowance;
    }

    private Span span(Instant now) {
        Allowance allowance = null;
        Instant end = Instant.ofEpochMilli(Long.MAX_VALUE);
        for (Window window : windows) {
            if (allowance == null && window.holds(now)) {
                allowance = window.allowance;
            }
            Instant change = window.nextChange(now);
            end = change.isBefore(end) ? change : end;
        }
        return new Span(now.toEpochMilli(), end.toEpochMilli(), allowance);
    }
}
