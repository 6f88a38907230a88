package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.RejectionHandler;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Writes a refusal as an RFC 9457 problem document of the registered type {@code quota-exceeded}, or as one line of
 * text for a client that does not accept JSON.
 */
public final class ProblemRejectionHandler implements RejectionHandler {

    private static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException {
        boolean json = Accepted.json(request);
        String body = json ? problem(request.getRequestURI(), response.getStatus(), decision) : detail(decision) + "\n";
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        response.setContentType(json ? MediaType.APPLICATION_PROBLEM_JSON_VALUE : "text/plain;charset=UTF-8");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private static String problem(String instance, int status, Decision decision) {
        StringBuilder json = new StringBuilder(320);
        json.append("{\"type\":");
        quote(isAboutQuota(decision) ? QUOTA_EXCEEDED : "about:blank", json);
        json.append(",\"title\":");
        quote(title(status, decision), json);
        json.append(",\"status\":").append(status).append(",\"detail\":");
        quote(detail(decision), json);
        json.append(",\"instance\":");
        quote(instance, json);
        json.append(",\"violated-policies\":[");
        quote(decision.zone(), json);
        return json.append("]}").toString();
    }

    private static boolean isAboutQuota(Decision decision) {
        return decision.reason() != Reason.DENIED && decision.reason() != Reason.MISSING_KEY;
    }

    private static String title(int status, Decision decision) {
        HttpStatus known = HttpStatus.resolve(status);
        return isAboutQuota(decision) || known == null ? "Quota exceeded" : known.getReasonPhrase();
    }

    private static String detail(Decision decision) {
        Reason reason = decision.reason() == null ? Reason.LIMIT : decision.reason();
        return switch (reason) {
            case LIMIT -> "The quota is used up." + when(decision.retryAfter());
            case SHARED, FULL -> "There is no room for more clients at the moment." + when(decision.retryAfter());
            case PENALTY -> "Too many requests were refused before." + when(decision.retryAfter());
            case STORE_FAILURE -> "The quota cannot be checked at the moment." + when(decision.retryAfter());
            case COST -> "The request costs more than the quota can ever hold: it cannot be admitted at any time.";
            case DENIED -> "The client is not admitted.";
            case MISSING_KEY -> "The request does not say who is to be counted.";
        };
    }

    private static String when(@Nullable Duration retryAfter) {
        if (retryAfter == null) {
            return "";
        }
        long seconds = Rejections.wholeSeconds(retryAfter);
        return " Try again in " + seconds + (seconds == 1 ? " second." : " seconds.");
    }

    /** RFC 8259: quotes, backslashes and control characters are escaped; lone surrogates become question marks. */
    private static void quote(String text, StringBuilder json) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < 0x20) {
                json.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
