package io.github.ratelimit.actuate;

import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.observe.MaskedKey;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Decides who reads keys in full, and who sees them {@linkplain MaskedKey masked}.
 *
 * @param show who reads keys in full
 * @param roles of which a reader needs one when keys are shown to those who are authorized; empty for anybody who is
 *     authenticated
 */
public record KeyMask(Show show, Set<String> roles) {

    /** Copies the roles. */
    public KeyMask {
        roles = Set.copyOf(roles);
    }

    /** The key as this reader may see it. */
    String shown(RateLimitKey key, SecurityContext reader) {
        String text = key.toString();
        return show.isShown(reader, roles) ? text : MaskedKey.of(key.kind(), text);
    }
}
