package io.github.ratelimit.sample;

import io.github.ratelimit.RateLimited;
import java.util.Map;
import java.util.OptionalInt;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sells a few pieces cheaply and fast. The annotation names a zone of application.yml, which counts each customer
 * rather than each address.
 */
@RestController
class FlashSaleController {

    private static final int STOCK = 500;

    private final Map<Integer, FlashSale> sales = Map.of(6, new FlashSale(STOCK), 7, new FlashSale(STOCK));

    @PostMapping("/seckill/{id}")
    @RateLimited("seckill")
    ResponseEntity<Receipt> buy(@PathVariable int id) {
        FlashSale sale = sales.get(id);
        if (sale == null) {
            return ResponseEntity.notFound().build();
        }
        OptionalInt left = sale.buy();
        return left.isPresent()
                ? ResponseEntity.ok(new Receipt(id, left.getAsInt()))
                : ResponseEntity.status(HttpStatus.CONFLICT).build();
    }

    /**
     * What a buyer gets.
     *
     * @param item what was bought
     * @param left how many pieces are left
     */
    record Receipt(int item, int left) {}
}
