import dev.sessiontools.SessionTools;
import dev.sessiontools.SessionToolsException;
import dev.sessiontools.WaitRun;
import dev.sessiontools.v1.ContentBlock;
import dev.sessiontools.v1.ErrorReason;
import dev.sessiontools.v1.Session;
import dev.sessiontools.v1.SessionsListRequest;
import dev.sessiontools.v1.SessionsSendRequest;
import dev.sessiontools.v1.WaitRunRequest;
import dev.sessiontools.v1.WaitRunResponse;

import java.time.Duration;
import java.util.Optional;

/**
 * Lists sessions, sends a message to one, and prints what comes of it: Caller HOST:PORT [SESSION
 * [MESSAGE]]. A token, where the server wants one, is taken from SESSIONTOOLS_TOKEN.
 */
public final class Caller {
    private Caller() {}

    /** Runs the program; see above for its arguments. */
    public static void main(String[] args) {
        String session = args.length > 1 ? args[1] : "main";
        String message = args.length > 2 ? args[2] : "hello";
        String token = Optional.ofNullable(System.getenv("SESSIONTOOLS_TOKEN")).orElse("");
        try (SessionTools client = SessionTools.builder(args[0]).plaintext().token(token).build()) {
            list(client);
            follow(client, send(client, session, message));
        } catch (SessionToolsException failure) {
            System.err.println(told(failure));
            System.exit(1);
        }
    }

    private static void list(SessionTools client) {
        SessionsListRequest request = SessionsListRequest.newBuilder().setLimit(10).build();
        for (Session session : client.sessionsList(request).getSessionsList()) {
            System.out.printf("%s (%s)%n", session.getKey(), session.getKind());
        }
    }

    private static String send(SessionTools client, String session, String message) {
        SessionsSendRequest request =
                SessionsSendRequest.newBuilder()
                        .setSessionKey(session)
                        .setMessage(message)
                        .setTimeoutSeconds(0) // the wait below tells more than a reply
                        .build();
        return client.sessionsSend(request).getRunId();
    }

    /** Follows a run over cuts and restarts of the server, for five minutes at most. */
    private static void follow(SessionTools client, String runId) {
        SessionTools patient = client.withDeadlineAfter(Duration.ofMinutes(5));
        WaitRunRequest request =
                WaitRunRequest.newBuilder().setRunId(runId).setIncludeDeltas(true).build();
        try (WaitRun run = patient.waitRun(request)) {
            for (WaitRunResponse event : run) {
                print(event);
            }
        }
    }

    private static void print(WaitRunResponse event) {
        switch (event.getEventCase()) {
            case STATE_CHANGED:
                System.out.println("it is " + event.getStateChanged().getToState());
                break;
            case OUTPUT_DELTA:
                System.out.println("it says " + event.getOutputDelta().getText());
                break;
            case MESSAGE_APPENDED:
                for (ContentBlock block :
                        event.getMessageAppended().getMessage().getContentList()) {
                    System.out.println("it wrote " + block.getText().getText());
                }
                break;
            case ENDED:
                System.out.println("its reply: " + event.getEnded().getRun().getReply());
                break;
            default: // snapshots, heartbeats, and what later servers may tell
                break;
        }
    }

    private static String told(SessionToolsException failure) {
        if (failure.hasReason(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND)) {
            return "there is no such session: " + failure.getDescription();
        }
        return failure.getMessage();
    }
}
