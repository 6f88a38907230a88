package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class PictureTests {

    @Test
    void writeToWhenReadBackThenAPictureOfThatSize() throws IOException {
        Picture picture = new Picture("kettle".hashCode(), 64);
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        picture.writeTo(out);

        assertThat(out.size()).isEqualTo(picture.size());
        BufferedImage read = ImageIO.read(new ByteArrayInputStream(out.toByteArray()));
        assertThat(read.getWidth()).isEqualTo(64);
        assertThat(read.getHeight()).isEqualTo(64);
    }
}
