import dev.sessiontools.SessionTools;
import dev.sessiontools.v1.SessionsSendRequest;
import dev.sessiontools.v1.WaitRunRequest;

public class Quickstart {
    public static void main(String[] args) {
        try (var client = SessionTools.builder(args[0]).plaintext().build()) {
            var hello = SessionsSendRequest.newBuilder().setSessionKey("main").setMessage("hello");
            var sent = client.sessionsSend(hello.build());
            var wait = WaitRunRequest.newBuilder().setRunId(sent.getRunId()).build();
            client.waitRun(wait).forEachRemaining(System.out::println);
        }
    }
}
