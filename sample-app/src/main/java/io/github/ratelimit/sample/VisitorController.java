package io.github.ratelimit.sample;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells the page under which address its visitor is counted, so that it can ask what is left for him. */
@RestController
class VisitorController {

    @GetMapping("/whoami")
    Visitor whoami(HttpServletRequest request) {
        return new Visitor(request.getRemoteAddr());
    }

    /**
     * Who is asking.
     *
     * @param address the peer of the connection
     */
    record Visitor(String address) {}
}
