package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;

class CountingStreamTests {

    @Test
    void countWhenWrittenInAnyWayThenEveryByteOnce() throws IOException {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        try (CountingStream out = new CountingStream(target)) {
            out.write(1);
            out.write(new byte[10]);
            out.write(new byte[10], 2, 5);

            assertThat(out.count()).isEqualTo(16);
        }
        assertThat(target.size()).isEqualTo(16);
    }

    @Test
    void countWhenAWriteFailsThenLeftOut() throws IOException {
        try (CountingStream out = new CountingStream(new Broken())) {
            assertThatIOException().isThrownBy(() -> out.write(new byte[10]));

            assertThat(out.count()).isZero();
        }
    }

    private static final class Broken extends OutputStream {

        @Override
        public void write(int b) throws IOException {
            throw new IOException("The reader has hung up");
        }
    }
}
