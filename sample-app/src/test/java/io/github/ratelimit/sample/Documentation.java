package io.github.ratelimit.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What README and guides show between fences: what to write, what to type, and what comes of it. */
final class Documentation {

    private static final Path ROOT = Path.of("..");
    private static final String FENCE = "```";
    private static final String HEADING = "## ";
    private static final String PROMPT = "$ ";
    private static final String COMMENT = "  # ";

    private Documentation() {}

    /**
     * What is between two fences.
     *
     * @param file its path, from the root of the project
     * @param heading the section that it is in; empty before the first
     * @param line the number of its first line
     * @param language what stands behind the first fence; empty for none
     */
    record Block(String file, String heading, int line, String language, List<String> lines) {

        /** What is to be typed, in its order: each line of a script, and of a session each line behind a prompt. */
        List<Command> commands() {
            return switch (language) {
                case "sh" ->
                    lines.stream()
                            .filter(typed -> !typed.isBlank())
                            .map(typed -> new Command(this, typed, List.of()))
                            .toList();
                case "console" -> session();
                default -> List.of();
            };
        }

        private List<Command> session() {
            List<Command> commands = new ArrayList<>();
            for (String line : lines) {
                if (line.startsWith(PROMPT)) {
                    commands.add(new Command(this, line.substring(PROMPT.length()), new ArrayList<>()));
                } else {
                    commands.get(commands.size() - 1).shown().add(line);
                }
            }
            return commands;
        }

        String text() {
            return String.join("\n", lines);
        }

        @Override
        public String toString() {
            return file + ", line " + line;
        }
    }

    /**
     * One line to be typed.
     *
     * @param text the line, with its comment
     * @param shown the lines that come of it; none where the document does not tell
     */
    record Command(Block block, String text, List<String> shown) {

        /** What is said beside it; empty for nothing. */
        String comment() {
            int comment = text.lastIndexOf(COMMENT);
            return comment < 0 ? "" : text.substring(comment + COMMENT.length());
        }

        @Override
        public String toString() {
            return block + ": " + text;
        }
    }

    /** All blocks of README and guides. */
    static List<Block> blocks() {
        List<Path> files = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> guides = Files.walk(ROOT.resolve("docs"))) {
            guides.filter(guide -> guide.toString().endsWith(".md")).sorted().forEach(files::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files.stream().flatMap(file -> blocks(file).stream()).toList();
    }

    /** The blocks of one language in a file, in their order. */
    static List<Block> blocks(String file, String language) {
        return blocks().stream()
                .filter(block -> block.file().equals(file) && block.language().equals(language))
                .toList();
    }

    /** The text of a file, whose path is from the root of the project. */
    static String text(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Block> blocks(Path path) {
        String file = ROOT.relativize(path).toString();
        List<String> lines = text(file).lines().toList();
        List<Block> blocks = new ArrayList<>();
        String heading = "";
        int fence = -1;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (fence < 0 && line.startsWith(HEADING)) {
                heading = line.substring(HEADING.length());
            }
            if (!line.strip().startsWith(FENCE)) {
                continue;
            }
            if (fence < 0) {
                fence = i;
            } else {
                String language = lines.get(fence).strip().substring(FENCE.length());
                blocks.add(new Block(file, heading, fence + 2, language, lines.subList(fence + 1, i)));
                fence = -1;
            }
        }
        return blocks;
    }
}
