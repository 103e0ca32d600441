package dev.sessiontools.driver;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;

import dev.sessiontools.SessionTools;
import dev.sessiontools.SessionToolsException;
import dev.sessiontools.v1.WaitRunsRequest;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;

/** Makes unary calls: the client has a method of each one's name, from request to response. */
final class Calling {
    private Calling() {}

    static void call(SessionTools client, Command command, Answers answers) {
        try {
            answers.message(command, "response", answer(client, command));
        } catch (SessionToolsException failure) {
            answers.failure(command, failure);
        }
    }

    /** Reads the answers of WaitRuns to their end. */
    static void stream(SessionTools client, Command command, Answers answers) {
        try (var events = client.waitRuns(WaitRunsRequest.parseFrom(command.requestBytes()))) {
            events.forEachRemaining(event -> answers.message(command, "event", event));
            answers.done(command);
        } catch (SessionToolsException failure) {
            answers.failure(command, failure);
        } catch (InvalidProtocolBufferException fault) {
            throw new IllegalStateException(fault);
        }
    }

    private static Message answer(SessionTools client, Command command) {
        String name = command.method();
        String called = Character.toLowerCase(name.charAt(0)) + name.substring(1);
        return Stream.of(client, client.gateway(), client.runtime())
                .flatMap(service -> calls(service, called))
                .map(call -> call.with(command.requestBytes()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown method " + name));
    }

    private static Stream<Call> calls(Object service, String name) {
        return Arrays.stream(service.getClass().getMethods())
                .filter(method -> method.getName().equals(name))
                .map(method -> new Call(service, method));
    }

    private record Call(Object service, Method method) {
        Message with(byte[] request) {
            try {
                Class<?> kind = method.getParameterTypes()[0];
                Object parsed = kind.getMethod("parseFrom", byte[].class).invoke(null, request);
                return (Message) method.invoke(service, parsed);
            } catch (InvocationTargetException failure) {
                throw refusal(failure);
            } catch (ReflectiveOperationException fault) {
                throw new IllegalStateException(fault);
            }
        }

        private static RuntimeException refusal(InvocationTargetException failure) {
            return failure.getCause() instanceof SessionToolsException refusal
                    ? refusal
                    : new IllegalStateException(failure);
        }
    }
}
