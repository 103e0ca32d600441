package dev.sessiontools.driver;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.MessageLite;

import dev.sessiontools.FieldProblem;
import dev.sessiontools.SessionToolsException;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes the lines of output, each as a whole. */
final class Answers {
    private static final Gson GSON = new Gson();

    private final PrintStream lines;

    Answers(PrintStream lines) {
        this.lines = lines;
    }

    void done(Command command) {
        write(command, "done", true);
    }

    void end(Command command) {
        write(command, "end", true);
    }

    void message(Command command, String name, MessageLite message) {
        write(command, name, Base64.getEncoder().encodeToString(message.toByteArray()));
    }

    /** The client's error, field by field. */
    void failure(Command command, SessionToolsException failure) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", failure.getCode().name());
        error.put("reason", failure.getReason());
        error.put("message", failure.getDescription());
        error.put("metadata", failure.getMetadata());
        error.put("fields", failure.getFields().stream().map(FieldProblem::field).toList());
        error.put("retry_after_seconds", seconds(failure.getRetryAfter()));
        write(command, "error", error);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private synchronized void write(Command command, String name, Object value) {
        JsonObject line = new JsonObject();
        JsonElement content = GSON.toJsonTree(value);
        line.add("id", command.id());
        line.add(name, content);
        lines.println(line);
        lines.flush();
    }
}
