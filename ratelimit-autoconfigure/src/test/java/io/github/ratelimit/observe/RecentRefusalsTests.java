package io.github.ratelimit.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RecentRefusalsTests {

    private final RecentRefusals recent = new RecentRefusals();

    @Test
    void listWhenNothingWasRefusedThenEmpty() {
        assertThat(recent.list()).isEmpty();
    }

    @Test
    void listThenTheLatestComesFirstAndTheOldestLeave() {
        for (int i = 1; i <= RecentRefusals.SIZE + 7; i++) {
            recent.add(Refusals.of("/" + i));
        }
        assertThat(recent.list())
                .hasSize(RecentRefusals.SIZE)
                .extracting(Refusal::path)
                .startsWith("/57", "/56", "/55")
                .endsWith("/9", "/8");
    }

    @Test
    void addWhenManyThreadsAddThenAllPlacesAreTaken() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(4);
        for (int t = 0; t < 4; t++) {
            new Thread(() -> {
                        for (int i = 0; i < 10_000; i++) {
                            recent.add(Refusals.of("/x"));
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        assertThat(recent.list()).hasSize(RecentRefusals.SIZE);
    }

    @Test
    void refusalWhenTextsAreLongThenTheyAreCut() {
        Refusal refusal = Refusals.of("x".repeat(100_000));
        assertThat(refusal.path()).hasSize(201).endsWith("\u2026");
    }
}
