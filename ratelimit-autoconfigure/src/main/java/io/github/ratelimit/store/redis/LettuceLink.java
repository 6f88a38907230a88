package io.github.ratelimit.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A connection by Lettuce. */
final class LettuceLink implements Link {

    private final StatefulConnection<byte[], byte[]> connection;
    private final RedisClusterAsyncCommands<byte[], byte[]> commands;
    private final Script script;
    private final boolean sharded;

    /** To one server. */
    LettuceLink(StatefulRedisConnection<byte[], byte[]> connection, Script script) {
        this.connection = connection;
        this.commands = connection.async();
        this.script = script;
        this.sharded = false;
    }

    /** To a cluster. */
    LettuceLink(StatefulRedisClusterConnection<byte[], byte[]> connection, Script script) {
        this.connection = connection;
        this.commands = connection.async();
        this.script = script;
        this.sharded = true;
    }

    @Override
    public CompletionStage<byte[]> run(byte[][] keys, byte[][] arguments) {
        return run(script, keys, arguments);
    }

    @Override
    public CompletionStage<byte[]> run(Script which, byte[][] keys, byte[][] arguments) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        try {
            commands.<byte[]>evalsha(which.digest(), ScriptOutputType.VALUE, keys, arguments)
                    .whenComplete((value, failure) -> {
                        if (failure instanceof RedisNoScriptException) {
                            introduce(which, answer, keys, arguments);
                        } else {
                            complete(answer, value, failure);
                        }
                    });
        } catch (RedisException e) {
            answer.completeExceptionally(e);
        }
        return answer;
    }

    /** The server has said that it does not know the script, and so has done nothing. */
    private void introduce(Script which, CompletableFuture<byte[]> answer, byte[][] keys, byte[][] arguments) {
        try {
            commands.<byte[]>eval(which.source(), ScriptOutputType.VALUE, keys, arguments)
                    .whenComplete((value, failure) -> complete(answer, value, failure));
        } catch (RedisException e) {
            answer.completeExceptionally(e);
        }
    }

    private static void complete(
            CompletableFuture<byte[]> answer, byte @Nullable [] value, @Nullable Throwable failure) {
        if (failure != null) {
            answer.completeExceptionally(failure);
        } else {
            answer.complete(value);
        }
    }

    @Override
    public CompletionStage<Map<byte[], byte[]>> fields(RedisKey hash) {
        return sent(() -> commands.hgetall(hash.bytes()));
    }

    @Override
    public CompletionStage<?> put(RedisKey hash, byte[] field, byte[] value, Duration life) {
        // both are sent before either is answered
        return sent(() -> commands.hset(hash.bytes(), field, value))
                .thenCombine(prolong(hash, life), (set, prolonged) -> prolonged);
    }

    @Override
    public CompletionStage<?> offer(RedisKey hash, byte[] field, byte[] value, Duration life) {
        return sent(() -> commands.hsetnx(hash.bytes(), field, value))
                .thenCombine(prolong(hash, life), (set, prolonged) -> prolonged);
    }

    @Override
    public CompletionStage<Long> life(RedisKey key) {
        return sent(() -> commands.pttl(key.bytes()));
    }

    @Override
    public CompletionStage<Boolean> prolong(RedisKey key, Duration life) {
        return sent(() -> commands.pexpire(key.bytes(), life.toMillis()));
    }

    private static <T> CompletionStage<T> sent(Supplier<? extends CompletionStage<T>> command) {
        try {
            return command.get();
        } catch (RedisException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public int lane(RedisKey key) {
        return sharded ? SlotHash.getSlot(key.bytes()) : 0;
    }

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    @Override
    public void close() {
        connection.closeAsync();
    }
}
