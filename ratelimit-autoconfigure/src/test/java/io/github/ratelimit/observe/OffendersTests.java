package io.github.ratelimit.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.observe.Offenders.Offender;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OffendersTests {

    private static final int ALL = 1_000;

    private final Offenders offenders = new Offenders();

    @Test
    void topWhenNobodyWasRefusedThenEmpty() {
        assertThat(offenders.top(20)).isEmpty();
    }

    @Test
    void topWhenThereAreFewKeysThenCountsAreExactAndTheMostComeFirst() {
        for (int key = 1; key <= 5; key++) {
            add("key-" + key, key, 1_000L * key);
        }
        assertThat(offenders.top(3))
                .containsExactly(offender("key-5", 5, 5_000), offender("key-4", 4, 4_000), offender("key-3", 3, 3_000));
    }

    @Test
    void topWhenAFloodOfOtherKeysIsRefusedThenStillNamesWhoIsRefusedOften() {
        Random random = new Random(20261129);
        for (int i = 0; i < 200_000; i++) {
            offenders.add(key("flood-" + random.nextInt(1_000_000)), 1);
            if (i % 40 == 0) {
                offenders.add(key("abuser-" + i / 40 % 5), 1);
            }
        }
        List<Offender> top = offenders.top(5);
        assertThat(top)
                .extracting(offender -> offender.key().toString())
                .containsExactlyInAnyOrder("abuser-0", "abuser-1", "abuser-2", "abuser-3", "abuser-4");
        assertThat(top).allSatisfy(offender -> assertThat(offender.count()).isBetween(500L, 1_000L));
    }

    @Test
    void topWhenKeysAreRefusedOnceEachThenNoneIsSaidToBeRefusedMoreOften() {
        IntStream.range(0, 100_000).forEach(i -> offenders.add(key("key-" + i), i));
        assertThat(offenders.top(ALL))
                .hasSize(256)
                .allSatisfy(offender -> assertThat(offender.count()).isOne());
    }

    @Test
    void addWhenManyThreadsRefuseTheSameKeysThenNoCountIsLostOnceTheyAreKnown() throws InterruptedException {
        int threads = 8;
        int times = 20_000;
        IntStream.range(0, 10).forEach(i -> offenders.add(key("key-" + i), 1));
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            new Thread(() -> {
                        for (int i = 0; i < times; i++) {
                            offenders.add(key("key-" + i % 10), 2);
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        assertThat(offenders.top(ALL))
                .hasSize(10)
                .allSatisfy(offender -> assertThat(offender.count()).isEqualTo(1 + threads * times / 10));
    }

    private void add(String key, int times, long millis) {
        for (int i = 0; i < times; i++) {
            offenders.add(key(key), millis);
        }
    }

    private static Offender offender(String key, long count, long millis) {
        return new Offender(key(key), count, Instant.ofEpochMilli(millis));
    }

    private static RateLimitKey key(String text) {
        return RateLimitKey.ofText(text);
    }
}
