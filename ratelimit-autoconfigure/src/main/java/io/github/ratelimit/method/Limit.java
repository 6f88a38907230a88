package io.github.ratelimit.method;

import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.Zone;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/**
 * One annotation, compiled: what a call pays, and who pays it. At most one of {@code part} and {@code key} is there;
 * where neither is, the zone's own key counts.
 *
 * @param zone the zone as it was at start-up; the policy in force may have another of its name
 * @param part the resolver that the annotation names instead of the zone's
 * @param key the expression that it names instead of the zone's
 * @param costExpression the expression that gives the cost, {@code null} when the cost is constant
 * @param cost the constant cost, at least 1
 */
record Limit(
        Zone zone,
        @Nullable KeyPart part,
        @Nullable CallExpression key,
        @Nullable CallExpression costExpression,
        long cost) {

    private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);

    /** Whether key or cost is known only when the arguments are. */
    boolean argumentBound() {
        return key != null && key.argumentBound() || costExpression != null && costExpression.argumentBound();
    }

    /** What a call has to pay, {@code null} when it pays nothing. */
    @Nullable
    Charge charge(Policy policy, Call call) {
        Zone current = policy.zones().getOrDefault(zone.name(), zone);
        long permits = permits(call);
        if (permits == 0) {
            return null;
        }
        RateLimitKey payer = payer(current, call);
        if (payer == null && current.key().missing() == MissingKey.SKIP) {
            return null;
        }
        return new Charge(current, payer, permits, policy.dryRun() || current.dryRun());
    }

    private @Nullable RateLimitKey payer(Zone current, Call call) {
        RateLimitKey payer;
        if (part != null) {
            payer = call.resolve(part);
        } else if (key != null) {
            payer = key(key, key.evaluate(call));
        } else {
            payer = call.resolve(current.key());
        }
        return payer != null ? payer : call.standIn(current.key());
    }

    private long permits(Call call) {
        if (costExpression == null) {
            return cost;
        }
        Object value = costExpression.evaluate(call);
        return value == null && call.request() == null ? 1 : permits(costExpression, value);
    }

    /**
     * The key of a value. A value that says nothing but its identity would be another key on every call, and so no limit
     * at all: it counts as missing.
     */
    private static @Nullable RateLimitKey key(CallExpression expression, @Nullable Object value) {
        Object plain = ObjectUtils.unwrapOptional(value);
        if (plain == null) {
            return null;
        }
        String text = ObjectUtils.nullSafeToString(plain);
        if (!(plain instanceof CharSequence) && text.equals(ObjectUtils.identityToString(plain))) {
            expression.complain("gives a " + plain.getClass().getName() + ", which has no toString()", null);
            return null;
        }
        return text.isBlank() ? null : RateLimitKey.ofText(text);
    }

    /** Whole permits, rounded up; an unusable value costs one. */
    private static long permits(CallExpression expression, @Nullable Object value) {
        BigInteger whole = value instanceof Number number ? whole(number) : null;
        if (whole == null || whole.signum() < 0) {
            expression.complain("gives the cost " + value + ", which is counted as 1", null);
            return 1;
        }
        return whole.min(LARGEST).longValue();
    }

    private static @Nullable BigInteger whole(Number number) {
        if (number instanceof Double || number instanceof Float) {
            double value = number.doubleValue();
            return Double.isNaN(value) || Double.isInfinite(value) ? null : up(BigDecimal.valueOf(value));
        }
        if (number instanceof BigDecimal decimal) {
            return up(decimal);
        }
        return number instanceof BigInteger integer ? integer : BigInteger.valueOf(number.longValue());
    }

    private static BigInteger up(BigDecimal value) {
        return value.setScale(0, RoundingMode.CEILING).toBigInteger();
    }
}
