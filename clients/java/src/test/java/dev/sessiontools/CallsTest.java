package dev.sessiontools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sessiontools.v1.AgentsListRequest;
import dev.sessiontools.v1.SessionToolsServiceGrpc;
import dev.sessiontools.v1.SessionsSendRequest;

import io.grpc.Context;
import io.grpc.Status;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;

class CallsTest {
    private static final SessionsSendRequest REQUEST =
            SessionsSendRequest.newBuilder().setMessage("hello").build();

    private final FakeSends fake = new FakeSends();

    @Test
    void anEmptyRequestIdIsFilledInAnewForEveryCall() {
        try (var serving = new Serving(fake)) {
            SessionTools client = serving.client();

            client.sessionsSend(REQUEST);
            client.sessionsSend(REQUEST);

            assertEquals(4, UUID.fromString(fake.ids().get(0)).version());
            assertNotEquals(fake.ids().get(0), fake.ids().get(1));
            assertEquals("hello", fake.requests.get(0).getMessage());
        }
    }

    @Test
    void theCallersRequestIdIsKept() {
        try (var serving = new Serving(fake)) {

            serving.client().sessionsSend(REQUEST.toBuilder().setRequestId("mine").build());

            assertEquals(List.of("mine"), fake.ids());
        }
    }

    @Test
    void credentialsGoWithEveryCallAndCanBeOthersOverTheSameConnection() {
        try (var serving = new Serving(fake, fake)) {
            var connection = new Connection(serving.channel, Timing.REAL);
            var owner = SessionTools.owning(connection, new Credentials("secret", "main"));

            assertCredentials(owner, "Bearer secret", "main");
            assertCredentials(owner.actingAs("cron:1"), "Bearer secret", "cron:1");
            assertCredentials(owner.withToken("run token"), "Bearer run token", null);
            assertCredentials(owner.withToken(""), null, null);
        }
    }

    private void assertCredentials(SessionTools client, String token, String acting) {
        client.sessionsSend(REQUEST);

        assertEquals(token, fake.header("authorization"));
        assertEquals(acting, fake.header("acting-session"));
    }

    @Test
    void generatedStubsOverTheChannelOfAClientHaveItsCredentialsAndRequestIds() {
        try (var serving = new Serving(fake, fake)) {
            SessionTools client = serving.client().withToken("secret");

            SessionToolsServiceGrpc.newBlockingStub(client.channel()).sessionsSend(REQUEST);

            assertEquals("Bearer secret", fake.header("authorization"));
            assertEquals(36, fake.ids().get(0).length());
        }
    }

    @Test
    void aSessionKeyThatMetadataCannotCarryIsRefused() {
        try (var serving = new Serving(fake)) {
            SessionTools client = serving.client();

            assertThrows(IllegalArgumentException.class, () -> client.actingAs("main:grüße"));
            assertThrows(IllegalArgumentException.class, () -> client.withToken("two\nlines"));
        }
    }

    @Test
    void tokensAreNotPrinted() {
        assertEquals(
                "Credentials[actingSession=main]", new Credentials("secret", "main").toString());
    }

    @Test
    void closingAClientThatSharesAConnectionLeavesItOpen() {
        try (var serving = new Serving(fake)) {
            SessionTools client = serving.client();

            client.actingAs("main").close();
            SessionTools.over(serving.channel).close();

            assertEquals("run", client.sessionsSend(REQUEST).getRunId());
        }
    }

    @Test
    void theCallersCancellationIsRecognizable() {
        try (var serving = new Serving(fake);
                var context = Context.current().withCancellation()) {
            SessionTools client = serving.client();
            context.cancel(null);

            var failure =
                    assertThrows(
                            SessionToolsException.class,
                            () -> context.call(() -> client.sessionsSend(REQUEST)));

            assertEquals(Status.Code.CANCELLED, failure.getCode());
        }
    }

    @Test
    void theFailureOfAClosedClientIsTyped() {
        try (var serving = new Serving(fake)) {
            SessionTools client = serving.client();
            client.close();

            var failure =
                    assertThrows(
                            SessionToolsException.class,
                            () -> client.agentsList(AgentsListRequest.getDefaultInstance()));

            assertEquals(Status.Code.UNAVAILABLE, failure.getCode());
            assertNull(failure.getCause());
        }
    }
}
