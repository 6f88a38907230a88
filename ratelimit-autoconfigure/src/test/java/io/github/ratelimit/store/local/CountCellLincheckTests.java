package io.github.ratelimit.store.local;

/** Permits in use in all their interleavings. */
public class CountCellLincheckTests extends LocalZoneLincheckTests {

    public CountCellLincheckTests() {
        super(Kind.CONCURRENCY.limit("1/s", 2), Kind.CONCURRENCY.limit("1/s", 3));
    }
}
