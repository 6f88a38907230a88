package io.github.ratelimit.store.local;

/** Theoretical arrival times in all their interleavings. */
public class GcraCellLincheckTests extends LocalZoneLincheckTests {

    public GcraCellLincheckTests() {
        super(Kind.TOKEN_BUCKET.limit("3/s", 3), Kind.LEAKY_BUCKET.limit("3/m", 3));
    }
}
