package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestLedgerTests {

    private final Zones zones = new Zones();

    @AfterEach
    void close() {
        zones.close();
    }

    private static final List<Zone> ZONES = List.of(zone("a", "100/s", 100), zone("b", "100/s", 100));

    /** Charges are written zone, key, cost and, for a dry run, an exclamation mark; a key of - is none. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # paid,      wanted,         outstanding
            '',          ax1,            ax1
            '',          ax1 bx1,        ax1 bx1
            '',          ax1 ax3,        ax3
            '',          ax3 ax1,        ax3
            '',          ax1 ay1,        ax1 ay1
            '',          ax1! ax1,       ax1
            '',          ax2! ax1!,      ax2!
            ax1,         ax1,            ''
            ax3,         ax1,            ''
            ax1,         ax3,            ax2
            ax1,         ax3 ax5 bx1,    ax4 bx1
            ax1,         ay1,            ay1
            ax1,         bx1,            bx1
            ax1 ax1,     ax3,            ax1
            a-1!,        a-1!,           ''
            a-1!,        a-1,            a-1
            a-1!,        ax1,            ax1
            ax1!,        ax1,            ''
            """)
    void outstandingWhenPaidThenChargesEachZoneOnceAtTheHigherCost(String paid, String wanted, String outstanding) {
        RequestLedger ledger = new RequestLedger(zones.limiter);
        for (Charge charge : charges(paid)) {
            ledger.note(Objects.requireNonNull(zones.limiter.acquire(List.of(charge))));
        }
        assertThat(ledger.outstanding(charges(wanted))).isEqualTo(charges(outstanding));
    }

    @Test
    void outstandingWhenRefusedThenNothingIsPaid() {
        RequestLedger ledger = new RequestLedger(zones.limiter);
        ledger.note(Objects.requireNonNull(zones.limiter.acquire(charges("ax9").stream()
                .map(charge -> new Charge(charge.zone(), charge.key(), 101, false))
                .toList())));
        assertThat(ledger.outstanding(charges("ax1"))).isEqualTo(charges("ax1"));
        assertThat(ledger.decisions()).hasSize(1);
    }

    private static List<Charge> charges(String written) {
        List<Charge> charges = new ArrayList<>();
        for (String charge : written.isEmpty() ? new String[0] : written.split(" ")) {
            charges.add(new Charge(
                    ZONES.get(charge.charAt(0) - 'a'),
                    key(charge.charAt(1)),
                    charge.charAt(2) - '0',
                    charge.endsWith("!")));
        }
        return charges;
    }

    private static @Nullable RateLimitKey key(char key) {
        return key == '-' ? null : RateLimitKey.ofText("" + key);
    }
}
