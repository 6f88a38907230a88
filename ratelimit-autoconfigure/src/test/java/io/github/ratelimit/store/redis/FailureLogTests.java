package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

class FailureLogTests {

    private final Logger logger = (Logger) LoggerFactory.getLogger(RedisStore.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
    }

    /** RL-32: unlike an outage, what Redis answers with is an error; each kind is told once a minute. */
    @ParameterizedTest
    @CsvSource({
        "UNREACHABLE, WARN", "TIMEOUT, WARN", "NOT_ASKED, WARN", "BUSY, WARN",
        "OUT_OF_MEMORY, ERROR", "READ_ONLY, ERROR", "FORBIDDEN, ERROR", "ERROR, ERROR"
    })
    void tellThenWhatRedisAnswersWithIsAnErrorAndIsToldOnce(Kind kind, String level) {
        FailureLog log = new FailureLog();
        for (int i = 0; i < 100; i++) {
            log.tell(new StoreUnavailableException(kind, "it failed", null));
        }
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.valueOf(level));
            assertThat(line.getFormattedMessage()).contains(kind.toString(), "it failed");
        });
    }
}
