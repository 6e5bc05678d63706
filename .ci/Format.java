import com.google.googlejavaformat.java.Main;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Checks or puts right the format of every hand-written Java file below the current directory. */
class Format {
    private static final String REMEDY = "mvn -N -Pformat process-sources";

    public static void main(String[] args) throws Exception {
        boolean fix = args.length == 1 && args[0].equals("--fix");
        if (!fix && !(args.length == 1 && args[0].equals("--check"))) {
            System.err.println("Usage: Format.java --check | --fix");
            System.exit(2);
        }
        List<String> files = handWritten(Path.of(""));
        List<String> arguments = new ArrayList<>(List.of("--aosp"));
        arguments.addAll(
                fix ? List.of("--replace") : List.of("--dry-run", "--set-exit-if-changed"));
        arguments.addAll(files);
        PrintWriter out = new PrintWriter(System.out, true);
        PrintWriter err = new PrintWriter(System.err, true);
        int status = new Main(out, err, System.in).format(arguments.toArray(String[]::new));
        out.flush();
        err.flush();
        if (status == 0) {
            System.out.println(files.size() + " files " + (fix ? "formatted" : "are formatted"));
        } else if (!fix) {
            System.err.println(
                    "The files named above are not formatted; this formats them: " + REMEDY);
        }
        System.exit(status);
    }

    /** What jextract wrote stays as it wrote it. */
    private static List<String> handWritten(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".java"))
                    .filter(file -> !file.matches("(.*/)?(target|src/generated)/.*"))
                    .sorted()
                    .toList();
        }
    }
}
