package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.web.RequestDecider.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Lets requests through, answers them, or has them wait: what both passes have in common. Safe for use by many threads.
 */
public final class Gate {

    private final RequestDecider decider;
    private final Rejections rejections;
    private final QuotaHeaders headers;
    private final WaitingRoom room;
    private final Occupants occupants;

    /**
     * A gate.
     *
     * @param decider charges requests
     * @param rejections answers refused requests
     * @param headers tells clients about their quota
     * @param room where delayed requests wait
     * @param occupants hears of asynchronous requests that occupy something
     */
    public Gate(
            RequestDecider decider,
            Rejections rejections,
            QuotaHeaders headers,
            WaitingRoom room,
            Occupants occupants) {
        this.decider = decider;
        this.rejections = rejections;
        this.headers = headers;
        this.room = room;
        this.occupants = occupants;
    }

    /** A request's way begins. */
    Passage open(HttpServletRequest request, HttpServletResponse response) {
        Passage passage = Passage.begin(request, response, decider.newLedger());
        passage.ledger.onStricter(decision -> {
            passage.note(decision);
            headers.write(passage.known(), response, decision);
        });
        return passage;
    }

    /** Spring Security has let a request through: who may see its quota is known now. */
    void identify(Passage passage, HttpServletRequest request, HttpServletResponse response) {
        passage.identify(request);
        Decision decision = passage.strictest();
        if (decision != null && headers.dependOnIdentity()) {
            headers.write(request, response, decision);
        }
    }

    /** Whether the request goes on now; decides each pass once. */
    boolean admits(Passage passage, Pass pass, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (passage.verdict(pass) != null) {
            return true;
        }
        Verdict verdict = decider.decide(request, passage.ledger, pass);
        passage.note(pass, verdict);
        return goesOn(verdict, request, response);
    }

    /** Whether a request whose verb or path was changed on its way goes on now. */
    boolean admitsChanged(Passage passage, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        return goesOn(decider.decideChanged(request, passage.ledger), request, response);
    }

    private boolean goesOn(Verdict verdict, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Decision refusal = verdict.refusal();
        if (refusal != null) {
            reject(request, response, refusal);
            return false;
        }
        return verdict.delay().isZero() || !room.enter(request, response, verdict.delay());
    }

    /** The response for what comes behind the filter. */
    HttpServletResponse behind(HttpServletRequest request, HttpServletResponse response) {
        return headers.lasting(request, response);
    }

    /** Answers a request that was refused, here or further down. */
    void reject(HttpServletRequest request, HttpServletResponse response, Decision refusal) throws IOException {
        rejections.reject(request, response, refusal);
    }

    /** A request has left the filters for the time being. */
    void close(Passage passage, HttpServletRequest request) {
        if (passage.waiting()) {
            return;
        }
        Verdict open = passage.close();
        if (open != null) {
            decider.closeWithoutIdentity(open);
        }
        if (request.isAsyncStarted()) {
            occupants.add(passage, request.getAsyncContext());
        } else {
            passage.ledger.release();
        }
    }
}
