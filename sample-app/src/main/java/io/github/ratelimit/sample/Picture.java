package io.github.ratelimit.sample;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A square picture, painted row by row as it is sent: an uncompressed Windows bitmap, so that its size is its width
 * squared times three.
 *
 * @param hue what tells it from others, any number
 * @param width pixels to a side, a multiple of four (rows need no padding then)
 */
record Picture(int hue, int width) {

    private static final int HEADER = 54;
    private static final int BYTES_PER_PIXEL = 3;

    /** The bytes that {@link #writeTo} writes. */
    int size() {
        return HEADER + width * width * BYTES_PER_PIXEL;
    }

    /** Writes the whole picture, holding one row of it at a time. */
    void writeTo(OutputStream out) throws IOException {
        out.write(header());
        byte[] row = new byte[width * BYTES_PER_PIXEL];
        for (int y = 0; y < width; y++) {
            paint(row, y);
            out.write(row);
        }
    }

    private byte[] header() {
        return ByteBuffer.allocate(HEADER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 'B')
                .put((byte) 'M')
                .putInt(size())
                .putInt(0)
                .putInt(HEADER)
                .putInt(HEADER - 14) // the second of two headers
                .putInt(width)
                .putInt(width)
                .putShort((short) 1) // planes
                .putShort((short) (BYTES_PER_PIXEL * Byte.SIZE))
                .array();
    }

    /** A soft ball of light over a dusk of two colours. */
    private void paint(byte[] row, int y) {
        int half = width / 2;
        int reach = width * width / 9;
        for (int x = 0, i = 0; x < width; x++) {
            int distance = (x - half) * (x - half) + (y - half) * (y - half);
            int light = distance < reach ? 150 - 150 * (distance / 16) / (reach / 16 + 1) : 0;
            row[i++] = shade(90 + (hue & 63) + 60 * y / width + light / 3);
            row[i++] = shade(50 + (hue >> 6 & 63) + 50 * x / width + light * 2 / 3);
            row[i++] = shade(70 + (hue >> 12 & 63) + 40 * (width - y) / width + light);
        }
    }

    private static byte shade(int value) {
        return (byte) Math.min(255, value);
    }
}
