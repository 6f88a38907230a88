package io.github.ratelimit.benchmarks;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.redis.RedisSettings;
import io.github.ratelimit.store.redis.RedisStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisExecProvider;

/**
 * Decisions over Redis per second: ours, a bare script with one key, and Bucket4j, by turns in one run, on one Redis and one
 * connection each, with many threads that wait for each decision. Keys are made beforehand.
 *
 * <p>Arguments: seconds of each measurement (5), rounds (3), threads (64). Prints the median of the rounds: decisions per
 * second, the median and the 99th percentile of their time, and how long Redis was busy with one.
 */
public final class SharedDecisionDriver {

    private static final int KEYS = 100_000;
    private static final int PORT = 36_379;
    /** More than is ever drawn in a round: what is measured are admissions, and nothing but "refused" may be refused. */
    private static final int BURST = 1_000_000_000;

    private static final byte[] INTERVAL = bytes("1");
    private static final byte[] CAPACITY = bytes(Integer.toString(BURST));

    /** As small as a script that limits anything can be: a theoretical arrival time in microseconds. */
    private static final String BARE = """
            local t = redis.call('TIME')
            local now = t[1] * 1000000 + t[2]
            local tat = tonumber(redis.call('GET', KEYS[1]) or now)
            if tat < now then tat = now end
            local interval, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
            local after = tat + interval
            if after - now > capacity then return {0, after - now - capacity} end
            redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
            return {1, 0}
            """;

    private final int seconds;
    private final int threads;

    private SharedDecisionDriver(int seconds, int threads) {
        this.seconds = seconds;
        this.threads = threads;
    }

    /** A way to decide, given the number of a key. */
    private record Contender(String name, boolean hot, IntConsumer decision) {}

    /** One measurement; times in microseconds. */
    private record Result(double perSecond, double median, double p99, double redisMicros) {}

    /** Measures. */
    public static void main(String[] args) throws Exception {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        int threads = args.length > 2 ? Integer.parseInt(args[2]) : 64;
        Process redis = launch();
        try {
            new SharedDecisionDriver(seconds, threads).run(rounds);
        } finally {
            redis.destroy();
        }
        System.exit(0);
    }

    private static Process launch() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        RedisExecProvider.defaultProvider().get().getAbsolutePath(),
                        "--port",
                        Integer.toString(PORT),
                        "--save",
                        "",
                        "--appendonly",
                        "no")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread.sleep(1_000);
        return process;
    }

    private void run(int rounds) throws InterruptedException {
        RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", PORT));
        RedisCommands<String, String> info = client.connect().sync();
        List<Contender> contenders = contenders(client);
        List<List<Result>> results = new ArrayList<>();
        contenders.forEach(each -> results.add(new ArrayList<>()));
        for (int round = 0; round <= rounds; round++) {
            for (int i = 0; i < contenders.size(); i++) {
                Result result = measure(contenders.get(i), info);
                if (round > 0) {
                    results.get(i).add(result);
                }
            }
        }
        System.out.printf("%-28s %12s %10s %10s %12s%n", "", "decisions/s", "p50 us", "p99 us", "Redis us");
        for (int i = 0; i < contenders.size(); i++) {
            List<Result> sorted = new ArrayList<>(results.get(i));
            sorted.sort((a, b) -> Double.compare(a.perSecond, b.perSecond));
            Result median = sorted.get(sorted.size() / 2);
            System.out.printf(
                    Locale.ROOT,
                    "%-28s %12.0f %10.0f %10.0f %12.2f%n",
                    contenders.get(i).name,
                    median.perSecond,
                    median.median,
                    median.p99,
                    median.redisMicros);
        }
    }

    private List<Contender> contenders(RedisClient client) {
        RedisStore store = RedisStore.like(
                () -> new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", PORT)),
                null,
                new RedisSettings("ratelimit:bench:", Duration.ofSeconds(5)));
        store.start();
        TokenBucket wide = TokenBucket.of(Rate.parse("1000000/s"), BURST);
        TokenBucket narrow = TokenBucket.of(Rate.parse("1/h"), 1);
        StatefulRedisConnection<byte[], byte[]> bare = client.connect(ByteArrayCodec.INSTANCE);
        String digest = bare.sync().scriptLoad(BARE.getBytes(StandardCharsets.US_ASCII));
        ProxyManager<String> buckets = Bucket4jLettuce.casBasedBuilder(
                        client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
                .build();
        BucketConfiguration bucket = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(BURST).refillGreedy(1_000_000, Duration.ofSeconds(1)))
                .build();
        RateLimitKey[] keys = made(RateLimitKey[]::new, RateLimitKey::ofText);
        byte[][] names = made(byte[][]::new, user -> bytes("bare:" + user));
        String[] proxies = made(String[]::new, user -> "b4j:" + user);
        IntConsumer ours = key -> ours(store, "bench", wide, keys[key], 1);
        IntConsumer script = key -> bare(bare, digest, names[key]);
        IntConsumer theirs = key -> buckets.getProxy(proxies[key], () -> bucket).tryConsume(1);
        return List.of(
                new Contender("bare script, random keys", false, script),
                new Contender("ours, random keys", false, ours),
                new Contender("bucket4j, random keys", false, theirs),
                new Contender("bare script, one key", true, script),
                new Contender("ours, one key", true, ours),
                new Contender("bucket4j, one key", true, theirs),
                new Contender("ours, one key, lease 100", true, key -> ours(store, "leased", wide, keys[key], 100)),
                new Contender("ours, refused", true, key -> ours(store, "narrow", narrow, keys[key], 1)));
    }

    /** What stands for each user, made beforehand. */
    private static <T> T[] made(IntFunction<T[]> array, Function<String, T> one) {
        return IntStream.range(0, KEYS).mapToObj(i -> one.apply("user" + i)).toArray(array);
    }

    private static boolean ours(RedisStore store, String zone, TokenBucket limit, RateLimitKey key, int lease) {
        return store.acquire(List.of(new Demand(zone, key, limit, 1, true, lease)))
                .get(0)
                .step()
                .admitted();
    }

    private static boolean bare(StatefulRedisConnection<byte[], byte[]> connection, String digest, byte[] key) {
        byte[][] keys = {key};
        List<Long> answer = connection.sync().evalsha(digest, ScriptOutputType.MULTI, keys, INTERVAL, CAPACITY);
        return answer.get(0) == 1;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Result measure(Contender contender, RedisCommands<String, String> info) throws InterruptedException {
        info.flushall();
        double busy = cpuMicros(info);
        long[][] times = new long[threads][];
        List<Thread> running = new ArrayList<>();
        long start = System.nanoTime();
        long end = start + Duration.ofSeconds(seconds).toNanos();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> times[number] = decide(contender, end));
            thread.start();
            running.add(thread);
        }
        for (Thread thread : running) {
            thread.join();
        }
        double took = (System.nanoTime() - start) / 1e9;
        long[] all = Arrays.stream(times).flatMapToLong(Arrays::stream).sorted().toArray();
        return new Result(
                all.length / took,
                all[all.length / 2] / 1e3,
                all[(int) (all.length * 0.99)] / 1e3,
                (cpuMicros(info) - busy) / all.length);
    }

    private static long[] decide(Contender contender, long end) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long[] times = new long[1 << 16];
        int count = 0;
        for (long now = System.nanoTime(); now - end < 0; ) {
            contender.decision.accept(contender.hot ? 0 : random.nextInt(KEYS));
            long after = System.nanoTime();
            if (count == times.length) {
                times = Arrays.copyOf(times, 2 * count);
            }
            times[count++] = after - now;
            now = after;
        }
        return Arrays.copyOf(times, count);
    }

    private static double cpuMicros(RedisCommands<String, String> info) {
        double sum = 0;
        for (String line : info.info("cpu").split("\\R", -1)) {
            if (line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:")) {
                sum += Double.parseDouble(line.substring(line.indexOf(':') + 1));
            }
        }
        return sum * 1e6;
    }
}
