import { dial } from "@sessiontools/client";

const client = dial(process.argv[2] ?? "localhost:50551", { plaintext: true });
const sent = await client.sessionsSend({ sessionKey: "main", message: "hello" });
for await (const { event } of client.waitRun({ runId: sent.runId })) {
  console.log(event.case, event.value);
}
