package io.github.ratelimit.sample;

import io.github.ratelimit.sample.Bucket.Outcome;
import io.github.ratelimit.sample.Bucket.Queue;
import io.github.ratelimit.sample.Duel.Answer;
import io.github.ratelimit.sample.Duel.Answers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Judges the answers of both servers, request by request. For many threads at once.
 *
 * <p>Both say when a request came, for on a busy machine it comes to one of them later. Whether the answer would have
 * been another one a little earlier or later is told by a model of each server's queue. Where it would, the request is
 * not judged; and where the servers part there, neither is the rest of its timeline.
 */
final class Comparison {

    private static final long MARGIN = 15;
    private static final long TOLERANCE = 30;

    private final Map<Outcome, Integer> judged = new EnumMap<>(Outcome.class);

    /** Where the servers differ in the requests of one key, in the order in which these were sent. */
    synchronized List<String> differences(Bucket bucket, List<Answers> timeline) {
        List<String> differences = new ArrayList<>();
        Queue nginx = bucket.new Queue();
        Queue shop = bucket.new Queue();
        for (int i = 0; i < timeline.size(); i++) {
            Answers answers = timeline.get(i);
            if (i > 0 && !isInOrder(timeline.get(i - 1), answers)) {
                break;
            }
            if (isClear(nginx, shop, answers)) {
                judged.merge(answers.nginx().outcome(), 1, Integer::sum);
                if (isDifferent(nginx, shop, answers)) {
                    differences.add("%s, request %d: %s".formatted(bucket.name(), i, answers));
                }
            }
            boolean refused = answers.nginx().outcome() == Outcome.REJECTED;
            if (refused != (answers.shop().outcome() == Outcome.REJECTED)) {
                break;
            }
            if (!refused) {
                nginx.admit(answers.nginx().arrived());
                shop.admit(answers.shop().arrived());
            }
        }
        return differences;
    }

    /** How many requests were judged, by nginx's answer. */
    synchronized int judged(Outcome outcome) {
        return judged.getOrDefault(outcome, 0);
    }

    /** How many requests were judged. */
    synchronized int judged() {
        return judged.values().stream().mapToInt(count -> count).sum();
    }

    private static boolean isInOrder(Answers before, Answers after) {
        return before.nginx().arrived() < after.nginx().arrived()
                && before.shop().arrived() < after.shop().arrived();
    }

    private static boolean isClear(Queue nginx, Queue shop, Answers answers) {
        long toNginx = answers.nginx().arrived();
        long toShop = answers.shop().arrived();
        return nginx.isClear(toNginx, MARGIN)
                && shop.isClear(toShop, MARGIN)
                && nginx.outcome(toNginx) == shop.outcome(toShop);
    }

    private static boolean isDifferent(Queue nginx, Queue shop, Answers answers) {
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
