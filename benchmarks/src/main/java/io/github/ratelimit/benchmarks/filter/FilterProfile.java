package io.github.ratelimit.benchmarks.filter;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Prints where a recorded server spent its time: the hottest frames of all, and those of this project. */
public final class FilterProfile {

    private static final String OURS = "io.github.ratelimit.";
    private static final int TOP = 10;

    private FilterProfile() {}

    /**
     * Reads a recording.
     *
     * @param args the file
     */
    public static void main(String[] args) throws IOException {
        Map<String, Integer> top = new TreeMap<>();
        Map<String, Integer> within = new TreeMap<>();
        int samples = 0;
        int ours = 0;
        try (RecordingFile recording = new RecordingFile(Path.of(args[0]))) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                if (!event.getEventType().getName().equals("jdk.ExecutionSample")
                        && !event.getEventType().getName().equals("jdk.NativeMethodSample")) {
                    continue;
                }
                List<RecordedFrame> frames = event.getStackTrace() == null
                        ? List.of()
                        : event.getStackTrace().getFrames();
                if (frames.isEmpty() || !isRequest(frames)) {
                    continue;
                }
                samples++;
                top.merge(name(frames.get(0)), 1, Integer::sum);
                Set<String> own = own(frames);
                ours += own.isEmpty() ? 0 : 1;
                own.forEach(frame -> within.merge(frame, 1, Integer::sum));
            }
        }
        System.out.println("samples " + samples + ", with a limiter's frame at work " + ours);
        print("hottest frames", top, samples, frame -> true);
        print("hottest of the limiter, with what they call", within, samples, frame -> true);
    }

    private static boolean isRequest(List<RecordedFrame> frames) {
        return frames.stream().anyMatch(frame -> name(frame).startsWith("org.apache.coyote"));
    }

    /** The limiter's frames down to the first that hands the request on: what the application does is not its work. */
    private static Set<String> own(List<RecordedFrame> frames) {
        Set<String> own = new LinkedHashSet<>();
        for (RecordedFrame frame : frames) {
            String name = name(frame);
            if (name.startsWith("org.apache.catalina.core.ApplicationFilterChain")) {
                break;
            }
            if (name.startsWith(OURS) && !name.startsWith(OURS + "benchmarks")) {
                own.add(name);
            }
        }
        return own;
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
    }

    private static void print(String title, Map<String, Integer> counts, int samples, Predicate<String> which) {
        System.out.println(title);
        counts.entrySet().stream()
                .filter(entry -> which.test(entry.getKey()))
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(TOP)
                .forEach(entry ->
                        System.out.printf("  %5.1f %%  %s%n", 100.0 * entry.getValue() / samples, entry.getKey()));
    }
}
