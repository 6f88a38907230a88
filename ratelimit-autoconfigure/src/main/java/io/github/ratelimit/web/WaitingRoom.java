package io.github.ratelimit.web;

import io.github.ratelimit.limiter.WaitingSeats;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.web.multipart.MultipartRequest;
import org.springframework.web.util.WebUtils;

/**
 * Where delayed requests wait: asynchronously, so that none of them holds a thread of the container; one timer wakes
 * them all. The number of requests that wait is bounded. The room stops before the web server does, and answers all
 * that wait.
 *
 * <p>A request is dropped as soon as the container says that its client is gone. Tomcat notices that on an HTTP/1.1
 * connection only when it writes to it, so that there a request is served although nobody waits for it any more.
 */
public final class WaitingRoom implements WaitingSeats, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(WaitingRoom.class);

    private final int capacity;
    private final AtomicInteger taken = new AtomicInteger();
    private final Set<Stay> stays = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final RequestTimer timer;
    private final Occupants occupants;
    private volatile boolean open = true;

    /**
     * An empty room.
     *
     * @param capacity the most requests that wait at once
     * @param timer wakes them
     * @param occupants hears of those that occupy something while they wait
     */
    public WaitingRoom(int capacity, RequestTimer timer, Occupants occupants) {
        this.capacity = capacity;
        this.timer = timer;
        this.occupants = occupants;
    }

    /** Requests and calls that wait now. */
    public int waiting() {
        return taken.get();
    }

    @Override
    public boolean take() {
        if (!open) {
            return false;
        }
        if (taken.incrementAndGet() <= capacity) {
            return true;
        }
        taken.decrementAndGet();
        return false;
    }

    @Override
    public void giveBack() {
        taken.decrementAndGet();
    }

    /**
     * Lets a request wait on the seat that was taken for it. Where a filter or servlet that does not support
     * asynchronous requests stands in the way, or where Spring MVC would throw away the parts of an upload meanwhile, it
     * waits on its thread.
     *
     * @param delay how long it waits
     * @return whether it goes on in a dispatch of its own; false when the wait is over
     */
    public boolean enter(HttpServletRequest request, HttpServletResponse response, Duration delay) {
        if (!canSuspend(request)) {
            pause(delay);
            return false;
        }
        Stay stay = new Stay(suspend(request, response), this::leave);
        stays.add(stay);
        stay.begin();
        if (open) {
            stay.wake(timer.after(delay, stay::goOn));
        } else {
            stay.stop();
        }
        return true;
    }

    private AsyncContext suspend(HttpServletRequest request, HttpServletResponse response) {
        Passage passage = Passage.of(request);
        try {
            AsyncContext context = passage == null
                    ? request.startAsync(request, response)
                    : request.startAsync(passage.suspend(), passage.response);
            context.setTimeout(0);
            if (passage != null) {
                occupants.add(passage, context);
            }
            return context;
        } catch (RuntimeException e) {
            if (passage != null) {
                passage.resume();
            }
            giveBack();
            throw e;
        }
    }

    private void leave(Stay stay) {
        stays.remove(stay);
        giveBack();
    }

    private boolean canSuspend(HttpServletRequest request) {
        if (WebUtils.getNativeRequest(request, MultipartRequest.class) != null) {
            return false;
        }
        boolean possible = request.isAsyncSupported() && !request.isAsyncStarted();
        if (!possible && warned.compareAndSet(false, true)) {
            log.warn("A delayed request holds a thread of the server while it waits, because a filter or servlet in"
                    + " front does not support asynchronous requests; write asyncSupported = true for it");
        }
        return possible;
    }

    private void pause(Duration delay) {
        try {
            TimeUnit.NANOSECONDS.sleep(delay.toNanos());
        } catch (InterruptedException e) {
            // the server stops: let the request go, it will not get far
            Thread.currentThread().interrupt();
        } finally {
            giveBack();
        }
    }

    @Override
    public void start() {
        open = true;
    }

    /** Answers all that wait, and lets nobody in. */
    @Override
    public void stop() {
        open = false;
        stays.forEach(Stay::stop);
    }

    @Override
    public boolean isRunning() {
        return open;
    }
}
