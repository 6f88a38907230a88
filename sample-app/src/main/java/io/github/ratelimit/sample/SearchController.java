package io.github.ratelimit.sample;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Finds items. Limited by a rule in application.yml with a rate and burst of its own. */
@RestController
class SearchController {

    private final Catalogue catalogue;

    SearchController(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    @GetMapping("/search")
    List<Item> search(@RequestParam(name = "q", defaultValue = "") String text) {
        return catalogue.search(text);
    }
}
