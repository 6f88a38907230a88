package io.github.ratelimit.sample;

import io.github.ratelimit.sample.Bucket.Outcome;
import io.github.ratelimit.sample.Bucket.Queue;
import io.github.ratelimit.sample.Duel.Answer;
import io.github.ratelimit.sample.Duel.Answers;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Judges the answers of both servers to the requests of one key.
 *
 * <p>Both say when a request came, for on a busy machine it comes to one of them later. Whether the answer would have
 * been another one a little earlier or later is told by a model of each server's queue. Where it would, the request is
 * not judged; and where the servers part there, neither is the rest.
 */
final class Comparison {

    private static final long MARGIN = 15;
    private static final long TOLERANCE = 30;

    private final Queue nginx;
    private final Queue shop;
    private final int sent;
    /** By the number of the request. */
    private final Map<Integer, Outcome> same = new TreeMap<>();

    private final Map<Integer, Answers> different = new TreeMap<>();

    /** Judges the answers, in the order in which the requests were sent. */
    Comparison(Bucket bucket, List<Answers> timeline) {
        nginx = bucket.new Queue();
        shop = bucket.new Queue();
        sent = timeline.size();
        for (int i = 0; i < sent; i++) {
            boolean inOrder = i == 0 || isInOrder(timeline.get(i - 1), timeline.get(i));
            if (!inOrder || !judge(i, timeline.get(i))) {
                break;
            }
        }
    }

    /** Adds an earlier run: what was the same in one of two was different in the other because the machine was busy. */
    Comparison after(Comparison earlier) {
        same.putAll(earlier.same);
        different.putAll(earlier.different);
        different.keySet().removeAll(same.keySet());
        return this;
    }

    /** The answers that were the same. */
    Collection<Outcome> same() {
        return same.values();
    }

    /** The answers that were not, by the number of the request. */
    Map<Integer, Answers> different() {
        return different;
    }

    /** Whether the servers agree in most requests, and differ in none. */
    boolean isSettled() {
        return different.isEmpty() && same.size() * 10 >= sent * 9;
    }

    private boolean judge(int number, Answers answers) {
        if (isClear(answers)) {
            if (isDifferent(answers)) {
                different.put(number, answers);
            } else {
                same.put(number, answers.nginx().outcome());
            }
        }
        boolean refused = answers.nginx().outcome() == Outcome.REJECTED;
        if (refused != (answers.shop().outcome() == Outcome.REJECTED)) {
            return false;
        }
        if (!refused) {
            nginx.admit(answers.nginx().arrived());
            shop.admit(answers.shop().arrived());
        }
        return true;
    }

    private static boolean isInOrder(Answers before, Answers after) {
        return before.nginx().arrived() < after.nginx().arrived()
                && before.shop().arrived() < after.shop().arrived();
    }

    private boolean isClear(Answers answers) {
        long toNginx = answers.nginx().arrived();
        long toShop = answers.shop().arrived();
        return nginx.isClear(toNginx, MARGIN)
                && shop.isClear(toShop, MARGIN)
                && nginx.outcome(toNginx) == shop.outcome(toShop);
    }

    private boolean isDifferent(Answers answers) {
        if (answers.nginx().outcome() != answers.shop().outcome()) {
            return true;
        }
        long difference = overtime(nginx, answers.nginx()) - overtime(shop, answers.shop());
        return answers.nginx().outcome() != Outcome.REJECTED && Math.abs(difference) > TOLERANCE;
    }

    /** The delay beyond what is due to the moment of arrival: a request that comes later waits less. */
    private static long overtime(Queue queue, Answer answer) {
        return answer.delay() - queue.delay(answer.arrived());
    }
}
