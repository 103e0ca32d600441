package dev.sessiontools;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class ReadmeTest {
    @Test
    void theReadmePrintsTheQuickStartInAtMostTwentyLines() throws IOException {
        String program = Files.readString(Path.of("examples/Quickstart.java"));
        String readme = Files.readString(Path.of("README.md"));

        assertTrue(program.lines().count() <= 20);
        assertTrue(readme.contains("```java\n" + program + "```\n"));
    }
}
