package io.github.ratelimit.sample;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Everything the shop sells. */
@Component
final class Catalogue {

    private static final List<Item> ITEMS = List.of(
            new Item(1, "Enamel kettle", 4900, "kettle.bmp"),
            new Item(2, "Brass desk lamp", 8900, "desk-lamp.bmp"),
            new Item(3, "Reading lamp", 6500, "reading-lamp.bmp"),
            new Item(4, "Linen tea towel", 1400, "tea-towel.bmp"),
            new Item(5, "Stoneware mug", 1800, "mug.bmp"),
            new Item(6, "Cast-iron teapot", 7200, "teapot.bmp"),
            new Item(7, "Walnut record player", 19900, "record-player.bmp"));

    /** The item of that number. */
    Optional<Item> find(int id) {
        return ITEMS.stream().filter(item -> item.id() == id).findFirst();
    }

    /** The items whose name has that text in it, in any case; all of them for an empty text. */
    List<Item> search(String text) {
        String wanted = text.strip().toLowerCase(Locale.ROOT);
        return ITEMS.stream()
                .filter(item -> item.name().toLowerCase(Locale.ROOT).contains(wanted))
                .toList();
    }
}
