package io.github.ratelimit.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One call of the script.
 *
 * @param keys of strings first, then of slots; each once
 * @param arguments as the script wants them
 */
record Trip(byte[][] keys, byte[][] arguments) {

    /**
     * Packs calls whose keys lie in one lane.
     *
     * @param instance the name of this instance among the holders of slots
     * @param channel on which others are told of refunds
     */
    static Trip of(List<Call> calls, ServerClock clock, byte[] instance, byte[] channel) {
        Map<RedisKey, Integer> strings = new LinkedHashMap<>();
        Map<RedisKey, Integer> slots = new LinkedHashMap<>();
        int size = 0;
        for (Call call : calls) {
            size += Wire.GROUP + call.wishes().size() * Wire.DEMAND;
            for (Wish wish : call.wishes()) {
                Map<RedisKey, Integer> numbers = wish.isSlot() ? slots : strings;
                numbers.putIfAbsent(wish.key(), numbers.size() + 1);
            }
        }
        ByteBuffer groups = ByteBuffer.allocate(size);
        for (Call call : calls) {
            Wire.writeGroup(
                    groups,
                    clock.micros(call.deadlineNanos()),
                    call.operation(),
                    call.wishes().size());
            for (Wish wish : call.wishes()) {
                int before = wish.isSlot() ? strings.size() : 0;
                Integer number = (wish.isSlot() ? slots : strings).get(wish.key());
                Wire.writeDemand(groups, wish, before + Objects.requireNonNull(number));
            }
        }
        List<byte[]> keys = new ArrayList<>(strings.size() + slots.size());
        strings.keySet().forEach(key -> keys.add(key.bytes()));
        slots.keySet().forEach(key -> keys.add(key.bytes()));
        byte[] count = Integer.toString(strings.size()).getBytes(StandardCharsets.US_ASCII);
        return new Trip(keys.toArray(byte[][]::new), new byte[][] {groups.array(), count, instance, channel});
    }
}
