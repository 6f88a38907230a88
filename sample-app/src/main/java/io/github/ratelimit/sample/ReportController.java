package io.github.ratelimit.sample;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.time.Month;
import java.time.Year;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;

/**
 * Sends what was sold in a year, month by month as it is added up, which takes its time. A rule in application.yml says
 * how many of these one client may have running; a client that hangs up makes room at once.
 */
@RestController
class ReportController {

    private static final Executor ADDED_UP = CompletableFuture.delayedExecutor(250, MILLISECONDS);

    @GetMapping(path = "/reports/{year}", produces = "text/csv")
    ResponseBodyEmitter report(@PathVariable Year year) {
        ResponseBodyEmitter report = new ResponseBodyEmitter();
        sendNext(List.of(Month.values()).iterator(), year, report);
        return report;
    }

    private static void sendNext(Iterator<Month> months, Year year, ResponseBodyEmitter report) {
        if (!months.hasNext()) {
            report.complete();
            return;
        }
        Month month = months.next();
        try {
            report.send(year.atMonth(month) + "," + sold(year, month) + "\r\n");
        } catch (IOException | IllegalStateException e) {
            // the reader has hung up, and the container ends the request
            return;
        }
        ADDED_UP.execute(() -> sendNext(months, year, report));
    }

    /** Some number of pieces, always the same for that month. */
    private static int sold(Year year, Month month) {
        return 100 + (year.getValue() * 31 + month.getValue() * 17) % 90;
    }
}
