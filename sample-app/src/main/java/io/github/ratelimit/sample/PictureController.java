package io.github.ratelimit.sample;

import io.github.ratelimit.RateLimitContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sends pictures: {@code kettle.bmp} is the full one of 3 MB, {@code kettle-thumb.bmp} a small one of 12 kB. A rule in
 * application.yml lets them in at one permit each; what they cost beyond it is settled here, by the bytes that were
 * sent.
 */
@RestController
class PictureController {

    private static final int FULL = 1024;
    private static final int THUMBNAIL = 64;
    private static final int BYTES_PER_PERMIT = 100_000;

    @GetMapping("/images/{name}")
    void picture(@PathVariable String name, HttpServletResponse response, RateLimitContext limits) throws IOException {
        boolean thumbnail = name.endsWith("-thumb.bmp");
        String subject = name.substring(0, name.length() - suffix(name, thumbnail));
        Picture picture = new Picture(subject.hashCode(), thumbnail ? THUMBNAIL : FULL);
        response.setContentType("image/bmp");
        response.setContentLength(picture.size());
        CountingStream out = new CountingStream(response.getOutputStream());
        try {
            picture.writeTo(out);
        } finally {
            limits.charge(permits(out.count()) - 1);
        }
    }

    /** The permits of so many bytes, the one that was paid at the door included. */
    private static long permits(long bytes) {
        return Math.max(1, (bytes + BYTES_PER_PERMIT - 1) / BYTES_PER_PERMIT);
    }

    private static int suffix(String name, boolean thumbnail) {
        if (thumbnail) {
            return "-thumb.bmp".length();
        }
        return name.endsWith(".bmp") ? ".bmp".length() : 0;
    }
}
