package io.github.ratelimit.sample;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Counts the bytes that are written through it, those of a write that fails left out. */
final class CountingStream extends FilterOutputStream {

    private long count;

    CountingStream(OutputStream out) {
        super(out);
    }

    /** The bytes so far. */
    long count() {
        return count;
    }

    @Override
    public void write(int b) throws IOException {
        out.write(b);
        count++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        count += length;
    }
}
