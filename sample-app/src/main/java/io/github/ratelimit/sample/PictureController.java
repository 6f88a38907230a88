package io.github.ratelimit.sample;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sends pictures: {@code kettle.bmp} is the full one of 3 MB, {@code kettle-thumb.bmp} a small one of 12 kB. Limited by
 * a rule in application.yml.
 */
@RestController
class PictureController {

    private static final int FULL = 1024;
    private static final int THUMBNAIL = 64;

    @GetMapping("/images/{name}")
    void picture(@PathVariable String name, HttpServletResponse response) throws IOException {
        boolean thumbnail = name.endsWith("-thumb.bmp");
        String subject = name.substring(0, name.length() - suffix(name, thumbnail));
        Picture picture = new Picture(subject.hashCode(), thumbnail ? THUMBNAIL : FULL);
        response.setContentType("image/bmp");
        response.setContentLength(picture.size());
        picture.writeTo(response.getOutputStream());
    }

    private static int suffix(String name, boolean thumbnail) {
        if (thumbnail) {
            return "-thumb.bmp".length();
        }
        return name.endsWith(".bmp") ? ".bmp".length() : 0;
    }
}
