package io.github.ratelimit.sample;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Lets the one customer in: {@code demo} with the password {@code demo}, as JSON or as a form. Limited by a rule in
 * application.yml, so a flood of guesses ends before it gets here.
 */
@RestController
class LoginController {

    @PostMapping(path = "/api/login", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Token> login(@RequestBody Credentials credentials) {
        return login(credentials.username(), credentials.password());
    }

    @PostMapping("/api/login")
    ResponseEntity<Token> login(
            @RequestParam(required = false) @Nullable String username,
            @RequestParam(required = false) @Nullable String password) {
        boolean known = "demo".equals(username) && "demo".equals(password);
        return known
                ? ResponseEntity.ok(new Token(UUID.randomUUID().toString()))
                : ResponseEntity.status(HttpStatus.UNAUTHORIZED).build();
    }

    record Credentials(@Nullable String username, @Nullable String password) {}

    record Token(String token) {}
}
