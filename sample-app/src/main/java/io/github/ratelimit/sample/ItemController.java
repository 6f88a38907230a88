package io.github.ratelimit.sample;

import io.github.ratelimit.RateLimited;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Shows one item. Its limit is written here, where the work is; application.yml knows nothing of it. */
@RestController
class ItemController {

    private final Catalogue catalogue;

    ItemController(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    @GetMapping("/api/items/{id}")
    @RateLimited(rate = "5/s", burst = 10)
    ResponseEntity<Item> item(@PathVariable int id) {
        return ResponseEntity.of(catalogue.find(id));
    }
}
