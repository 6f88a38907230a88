package io.github.ratelimit.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/** What a client says it accepts (RFC 9110, section 12.5.1). */
final class Accepted {

    /** Nobody needs more; who sends more wants us to read it. */
    private static final int MAX_LENGTH = 2_048;

    private Accepted() {}

    /** Whether the client accepts JSON; one that says nothing, or nothing that can be read, is taken to. */
    static boolean json(HttpServletRequest request) {
        String accept = String.join(",", Collections.list(request.getHeaders(HttpHeaders.ACCEPT)));
        if (accept.isBlank() || accept.length() > MAX_LENGTH) {
            return true;
        }
        try {
            List<MediaType> ranges = MediaType.parseMediaTypes(accept);
            return accepts(ranges, MediaType.APPLICATION_PROBLEM_JSON) || accepts(ranges, MediaType.APPLICATION_JSON);
        } catch (InvalidMediaTypeException e) {
            return true;
        }
    }

    /** The most specific range that covers a type tells whether it is wanted. */
    private static boolean accepts(List<MediaType> ranges, MediaType type) {
        MediaType best = null;
        for (MediaType range : ranges) {
            if (range.includes(type) && (best == null || specificity(range) > specificity(best))) {
                best = range;
            }
        }
        return best != null && best.getQualityValue() > 0;
    }

    private static int specificity(MediaType range) {
        return range.isWildcardType() ? 0 : range.isWildcardSubtype() ? 1 : 2;
    }
}
