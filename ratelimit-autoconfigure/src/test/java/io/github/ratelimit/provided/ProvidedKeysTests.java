package io.github.ratelimit.provided;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.ratelimit.KeyResolver;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.web.MockHttpServletRequest;

@ExtendWith(OutputCaptureExtension.class)
class ProvidedKeysTests {

    private static final long MINUTE = 60_000_000_000L;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final ProvidedKeys keys = new ProvidedKeys(nanos::get);

    @Test
    void resolveWhenTheResolverThrowsThenThereIsNoKeyAndItIsCountedByName() {
        KeyResolver tenant = keys.guarded("tenant", failing());
        KeyResolver other = keys.guarded("other", request -> "other");
        assertThat(tenant.resolve(new MockHttpServletRequest())).isNull();
        assertThat(keys.guarded("tenant", failing()).resolve(new MockHttpServletRequest()))
                .isNull();
        assertThat(other.resolve(new MockHttpServletRequest())).isEqualTo("other");
        assertThat(keys.failures("tenant")).isEqualTo(2);
        assertThat(keys.failures("other")).isZero();
        assertThat(keys.failures("unknown")).isZero();
    }

    @Test
    void resolveWhenTheResolverThrowsOftenThenOneWarningAMinuteForEachResolver(CapturedOutput output) {
        KeyResolver tenant = keys.guarded("tenant", failing());
        KeyResolver customer = keys.guarded("customer", failing());
        for (int i = 0; i < 50; i++) {
            tenant.resolve(new MockHttpServletRequest());
            customer.resolve(new MockHttpServletRequest());
        }
        assertThat(output).containsOnlyOnce("'tenant'").containsOnlyOnce("'customer'");
        nanos.addAndGet(MINUTE);
        tenant.resolve(new MockHttpServletRequest());
        assertThat(output).contains("'tenant' threw an exception, 51 times since the start");
    }

    @Test
    void resolveWhenTheResolverFailsWithAnErrorThenItIsNotHidden() {
        KeyResolver broken = keys.guarded("broken", request -> {
            throw new LinkageError("a class is missing");
        });
        assertThatThrownBy(() -> broken.resolve(new MockHttpServletRequest())).isInstanceOf(LinkageError.class);
    }

    private static KeyResolver failing() {
        return request -> {
            throw new IllegalStateException("no database");
        };
    }
}
