package dev.sessiontools.driver;

import com.google.gson.JsonElement;
import com.google.protobuf.InvalidProtocolBufferException;

import dev.sessiontools.SessionTools;
import dev.sessiontools.v1.WaitRunRequest;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The driver of the Java client for the conformance cases: commands on standard input, answers on
 * standard output. Its own state is touched by the loop over the input only.
 */
public final class Driver {
    private final Answers answers = new Answers(System.out);
    private final ExecutorService sideBySide = Executors.newCachedThreadPool();
    private final Map<JsonElement, Taking> waits = new HashMap<>(); // by the id that opened it
    private SessionTools client;

    private Driver() {}

    /** Obeys until the input ends; a fault of the driver, in any thread, ends it at once. */
    public static void main(String[] args) throws IOException {
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> fail(fault));
        Driver driver = new Driver();
        var input = new InputStreamReader(System.in, StandardCharsets.UTF_8);
        try (BufferedReader lines = new BufferedReader(input)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                driver.obey(Command.parse(line));
            }
        }
        System.exit(0); // whatever is still under way
    }

    private static void fail(Throwable fault) {
        fault.printStackTrace();
        System.exit(1);
    }

    private void obey(Command command) throws InvalidProtocolBufferException {
        switch (command.op()) {
            case "dial" -> dial(command);
            case "call" -> {
                SessionTools caller = caller(command);
                sideBySide.execute(() -> Calling.call(caller, command, answers));
            }
            case "stream" -> {
                SessionTools caller = caller(command);
                sideBySide.execute(() -> Calling.stream(caller, command, answers));
            }
            case "wait" -> open(command);
            case "next" -> {
                Taking taking = waits.get(command.waitId());
                sideBySide.execute(() -> taking.next(command, answers));
            }
            case "cancel" -> {
                waits.get(command.waitId()).cancel();
                answers.done(command);
            }
            default -> throw new IllegalArgumentException("unknown command " + command.op());
        }
    }

    private void dial(Command command) {
        if (client != null) {
            client.close();
        }
        client =
                SessionTools.builder(command.target())
                        .plaintext()
                        .token(command.token())
                        .actingSession(command.actingSession())
                        .build();
        answers.done(command);
    }

    private void open(Command command) throws InvalidProtocolBufferException {
        WaitRunRequest request = WaitRunRequest.parseFrom(command.requestBytes());
        waits.put(command.id(), new Taking(caller(command).waitRun(request)));
        answers.done(command);
    }

    /** The client with the credentials and the deadline of a command. */
    private SessionTools caller(Command command) {
        SessionTools caller = client;
        if (command.token() != null) {
            caller = caller.withToken(command.token());
        }
        if (command.actingSession() != null) {
            caller = caller.actingAs(command.actingSession());
        }
        if (command.deadlineSeconds() != null) {
            long nanos = (long) (command.deadlineSeconds() * 1e9);
            caller = caller.withDeadlineAfter(Duration.ofNanos(nanos));
        }
        return caller;
    }
}
