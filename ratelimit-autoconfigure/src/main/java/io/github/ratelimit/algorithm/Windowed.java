package io.github.ratelimit.algorithm;

/** An algorithm that counts permits in windows of one length, each beginning at a request of the key. */
public sealed interface Windowed extends Algorithm permits FixedWindow, SlidingWindow {

    /** The length of a window in nanoseconds. */
    long periodNanos();

    /**
     * The state as it is seen now: windows that are over are left behind. After a clock's jump back the current window
     * begins anew with what was drawn in it.
     */
    WindowState at(WindowState state, long nowNanos);

    /**
     * Judges a draw.
     *
     * @param state the state as it is seen now
     * @param cost permits to draw
     * @return the step; when it admits, as seen after the draw
     */
    Step judge(WindowState state, long cost, long nowNanos);
}
