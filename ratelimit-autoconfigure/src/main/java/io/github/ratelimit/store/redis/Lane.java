package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes calls to Redis whose keys lie together.
 *
 * <p>A call that comes while few trips are under way leaves at once. While {@value #MAX_TRIPS} are, calls wait, and all
 * that wait leave together in one: so a busy instance makes fewer and larger trips instead of more, and a key that
 * everybody wants is read and written once for all of them. No thread waits here, and none is needed: whoever brings a
 * call or an answer sends what there is.
 */
final class Lane {

    static final int MAX_TRIPS = 2;
    static final int MAX_CALLS = 128;

    private final Queue<Call> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sending = new AtomicBoolean();
    private final AtomicInteger underWay = new AtomicInteger();
    private final Traffic traffic;
    /** When something last came back, or left while nothing was under way. */
    private volatile long progressNanos;

    Lane(Traffic traffic) {
        this.traffic = traffic;
    }

    /** What lanes of one store have in common. */
    interface Traffic {

        /** The open connection, {@code null} while there is none. */
        @Nullable
        Link link();

        /** Writes calls for the script. */
        Trip pack(List<Call> calls);

        /** A trip came back. */
        void arrived();

        /** A trip failed. */
        StoreUnavailableException failed(Throwable cause);

        /** Notes the server's time, in microseconds since 2020. */
        void heard(long serverMicros);
    }

    void submit(Call call) {
        queue.add(call);
        send();
    }

    /** Whether something is under way that should have come back long ago: the next would come back no sooner. */
    boolean isStuck(long patienceNanos) {
        return underWay.get() > 0 && System.nanoTime() - progressNanos > patienceNanos;
    }

    private void send() {
        while (underWay.get() < MAX_TRIPS && !queue.isEmpty() && sending.compareAndSet(false, true)) {
            try {
                for (List<Call> calls = next(); !calls.isEmpty(); calls = next()) {
                    depart(calls);
                }
            } finally {
                sending.set(false);
            }
        }
    }

    private List<Call> next() {
        List<Call> calls = new ArrayList<>();
        long now = System.nanoTime();
        while (calls.size() < MAX_CALLS && underWay.get() < MAX_TRIPS) {
            Call call = queue.poll();
            if (call == null) {
                break;
            }
            if (call.sending(now)) {
                calls.add(call);
            }
        }
        return calls;
    }

    private void depart(List<Call> calls) {
        Link link = traffic.link();
        if (link == null) {
            StoreUnavailableException failure =
                    new StoreUnavailableException(Kind.UNREACHABLE, "there is no connection to Redis", null);
            calls.forEach(call -> call.failed(failure));
            return;
        }
        if (underWay.getAndIncrement() == 0) {
            progressNanos = System.nanoTime();
        }
        try {
            Trip trip = traffic.pack(calls);
            link.run(trip.keys(), trip.arguments()).whenComplete((answer, failure) -> arrive(calls, answer, failure));
        } catch (RuntimeException e) {
            arrive(calls, null, e);
        }
    }

    private void arrive(List<Call> calls, byte @Nullable [] answer, @Nullable Throwable failure) {
        progressNanos = System.nanoTime();
        underWay.decrementAndGet();
        try {
            if (failure != null || answer == null) {
                fail(calls, failure != null ? failure : new IllegalStateException("Redis answered nothing"));
                return;
            }
            read(calls, ByteBuffer.wrap(answer));
            traffic.arrived();
        } catch (BufferUnderflowException e) {
            fail(calls, new IllegalStateException("Redis answered too little", e));
        } finally {
            send();
        }
    }

    private void fail(List<Call> calls, Throwable cause) {
        StoreUnavailableException unavailable = traffic.failed(cause);
        calls.forEach(call -> call.failed(unavailable));
    }

    private void read(List<Call> calls, ByteBuffer in) {
        traffic.heard((long) in.getDouble());
        for (Call call : calls) {
            List<Answer> answers = Wire.readGroup(in, call);
            if (answers != null) {
                call.answered(answers);
            } else if (call.again()) {
                // the server's clock was set: nothing was done, and its time is known now
                queue.add(call);
            }
        }
    }
}
