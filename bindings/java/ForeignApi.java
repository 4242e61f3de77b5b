// bindings/java/ForeignApi.java: lets javac 17 compile against java.lang.foreign of a newer Java that has no javac.

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code java ForeignApi.java JAVA_HOME FOLDER} copies the package's classes out of that Java's image, with the version
 * of class files that javac 17 reads. For its option --patch-module java.base=FOLDER.
 */
class ForeignApi {
    private static final int MAJOR_VERSION = 7; // the offset in a class file, whose second byte is enough
    private static final byte JAVA_17 = 61;

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[1], "java", "lang", "foreign"));
        try (var image = FileSystems.newFileSystem(URI.create("jrt:/"), Map.of("java.home", arguments[0]))) {
            List<Path> classes;
            try (var found = Files.list(image.getPath("modules", "java.base", "java", "lang", "foreign"))) {
                classes = found.collect(Collectors.toList());
            }
            for (Path each : classes) {
                byte[] content = Files.readAllBytes(each);
                content[MAJOR_VERSION] = JAVA_17;
                Files.write(folder.resolve(each.getFileName().toString()), content);
            }
        }
    }
}
