package io.github.ratelimit.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.Decision.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RejectionLogTests {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.github.ratelimit.rejections");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final List<Runnable> later = new ArrayList<>();
    private final RejectionLog log = new RejectionLog("login", later::add);
    private Instant now = Refusals.NOW;

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @Test
    void writeThenTellsWhoWasRefusedWhat() {
        log.write(Refusals.of("/api/login"));
        assertThat(written())
                .containsExactly(
                        "2026-11-29T19:49:00Z zone=\"login\" key=\"alice\" reason=limit rule=\"POST /api/login\""
                                + " method=\"POST\" path=\"/api/login\" user-agent=\"curl/8.5.0\"");
        assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.INFO);
    }

    @Test
    void writeWhenInDryRunThenSaysSo() {
        log.write(Refusals.at(now, Outcome.DRY_RUN_REJECTED, "/", "x"));
        assertThat(written()).singleElement().asString().endsWith(" dry-run=true");
    }

    @Test
    void writeWhenAClientForgesALineThenItStaysOneLine() {
        log.write(Refusals.at(
                now, Outcome.REJECTED, "/a\r\n2026-11-29T19:49:00Z zone=\"x\"", "\u001b[31m\u202e\u2028\" key=\"root"));
        assertThat(written())
                .singleElement()
                .asString()
                .contains("path=\"/a\\u000d\\u000a2026-11-29T19:49:00Z zone=\\\"x\\\"\"")
                .contains("user-agent=\"\\u001b[31m\\u202e\\u2028\\\" key=\\\"root\"")
                .matches("\\p{ASCII}*")
                .doesNotContainPattern("\\p{Cntrl}");
    }

    @Test
    void writeWhenThereAreMoreThanTenInASecondThenTheRestIsCounted() {
        writeAt(0, 25);
        assertThat(written()).hasSize(10);
        assertThat(later).hasSize(1);

        runLater();
        assertThat(written())
                .hasSize(11)
                .last()
                .isEqualTo("zone=\"login\" 15 more refusals were not logged: no more than 10 a second are");
    }

    @Test
    void writeWhenTheFloodGoesOnThenNoSecondHasMoreThanTenLines() {
        for (int second = 0; second < 5; second++) {
            writeAt(1_000 * second, 40);
            runLater();
        }
        assertThat(written()).hasSize(55);
        assertThat(written().stream().filter(line -> line.contains(" 30 more refusals")))
                .hasSize(5);
    }

    @Test
    void writeWhenClocksOfThreadsDifferALittleThenTheSecondIsTheSame() {
        writeAt(1_000, 10);
        writeAt(999, 10);
        writeAt(1_001, 10);
        assertThat(written()).hasSize(10);
    }

    @Test
    void writeWhenTheClockIsSetBackAnHourThenGoesOn() {
        writeAt(0, 20);
        writeAt(-3_600_000, 20);
        assertThat(written()).hasSize(20);
    }

    @Test
    void writeWhenTheLoggerIsOffThenCountsNothing() {
        logger.setLevel(Level.WARN);
        writeAt(0, 25);
        assertThat(written()).isEmpty();
        assertThat(later).isEmpty();
    }

    private void writeAt(long millis, int times) {
        now = Refusals.NOW.plusMillis(millis);
        for (int i = 0; i < times; i++) {
            log.write(Refusals.at(now, Outcome.REJECTED, "/", "x"));
        }
    }

    private void runLater() {
        List.copyOf(later).forEach(Runnable::run);
        later.clear();
    }

    private List<String> written() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
