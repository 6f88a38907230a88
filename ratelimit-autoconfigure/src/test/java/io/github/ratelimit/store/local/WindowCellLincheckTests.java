package io.github.ratelimit.store.local;

/** Windows, of one kind and of the other in all their interleavings. */
public class WindowCellLincheckTests extends LocalZoneLincheckTests {

    public WindowCellLincheckTests() {
        super(Kind.SLIDING_WINDOW.limit("3/s", 3), Kind.FIXED_WINDOW.limit("3/m", 3));
    }
}
