package io.github.ratelimit.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The shop. It needs no service beside it: start it and open {@code http://localhost:8080/}. */
@SpringBootApplication
public class SampleApplication {

    /** Starts the shop. */
    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }
}
