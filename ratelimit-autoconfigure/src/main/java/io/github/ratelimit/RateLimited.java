package io.github.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the calls of a controller's handler method or of any Spring bean's method. On the class of a controller, all
 * its handler methods, private ones too; on another class, all its methods that can be called through the bean: public,
 * protected and package-private ones, but not private, static and, unless they are public, final ones. A public final
 * method there fails start-up.
 *
 * <pre>{@code
 * @RateLimited("login")                                   // a zone of application.yml
 * @RateLimited(rate = "2/s", burst = 8)                   // inline: a zone of its own, keyed by client-ip
 * @RateLimited(zone = "tenant", key = "#tenantId", cost = "#batch.size()")
 * }</pre>
 *
 * <p>Placeholders in the texts, such as {@code rate = "${login.rate:2/s}"}, are replaced by properties of the
 * application once, at start-up; one for which there is no property fails it.
 *
 * <p>Repeatable: all limits must admit the call, and a call refused by one costs nothing in the others. Found on
 * interfaces and superclasses and as a meta-annotation; the nearest declaration wins, and a method's before its
 * class's. A handler method is judged before its arguments are bound, unless {@code key} or {@code cost} names one of
 * them; other methods when called through their bean, not by {@code this}.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.All.class)
public @interface RateLimited {

    /** Same as {@link #zone()}: one of the two is written. */
    String value() default "";

    /** The name of a configured zone. Empty: the limit is written here, by {@link #rate()}. */
    String zone() default "";

    /** The rate of an inline limit, such as {@code 2/s}; not together with {@link #zone()}. */
    String rate() default "";

    /** The burst of an inline limit; 0 for the permits of the rate. */
    long burst() default 0;

    /**
     * Who is counted: an expression where it begins with {@code #} (over arguments, {@code #request},
     * {@code #principal}), else a key resolver such as {@code header:X-Api-Key}. Empty: the key of the zone, or
     * {@code client-ip}.
     */
    String key() default "";

    /** The permits one call costs: a number, or an expression where it begins with {@code #}. */
    String cost() default "1";

    /** Holds repeated annotations. */
    @Documented
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @interface All {

        /** The limits, all of which must admit the call. */
        RateLimited[] value();
    }
}
