package io.github.ratelimit.benchmarks.filter;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application that says hello, with one limiter or another, or none: its properties decide. */
@SpringBootApplication
@EnableCaching
public class FilterApplication {

    /** Starts it; {@code --spring.profiles.active} says which limiter. */
    public static void main(String[] args) {
        SpringApplication.run(FilterApplication.class, args);
    }

    /** The endpoint that is asked. */
    @RestController
    static class Hello {

        @GetMapping("/hello")
        String hello() {
            return "hello";
        }
    }
}
