// A channel gateway whose channel is the terminal: a line that you type goes to the agent, and what goes out on the
// channel is printed. Put your channel's API into `send` and `receive`.
//
//     ../../clients/typescript/compile && npm ci && npm run build
//     npm start -- --server 127.0.0.1:50551 --channel webchat
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";

import { dial, type Client } from "@sessiontools/client";
import { ChatType, type Delivery } from "@sessiontools/client/v1";

const { values: flags } = parseArgs({
  options: {
    server: { type: "string", default: "127.0.0.1:50551" },
    token: { type: "string", default: process.env.SESSIONTOOLS_TOKEN ?? "" },
    channel: { type: "string", default: "webchat" },
  },
});
const { server, token, channel } = flags as Required<typeof flags>; // all have a default
const peer = "you"; // who is at the other end of the channel

/** Sends a text, and returns the provider's receipt for it. What is thrown offers the text again later. */
function send(delivery: Delivery): string {
  // A gateway vanished after taking it: where you can, look it up by delivery.id.
  const again = delivery.possiblyDelivered ? " (perhaps once more)" : "";
  console.log(`${delivery.route?.channel} -> ${delivery.route?.to}${again}: ${delivery.text}`);
  return `printed-${delivery.id}`;
}

/** Takes what comes in, and hands it to the agent's main session; the reply comes back as a delivery. */
async function receive(client: Client, signal: AbortSignal): Promise<void> {
  for await (const text of createInterface({ input: process.stdin, signal })) {
    const sender = { id: peer, displayName: "You", isOwner: true };
    const request = { sessionKey: "main", text, sender, route: { channel, to: peer }, chatType: ChatType.DIRECT };
    const answer = await client.chatSend(request);
    if (answer.commandReply) {
      console.log(answer.commandReply);
    }
  }
}

const ending = new AbortController();
process.once("SIGINT", () => ending.abort());
process.once("SIGTERM", () => ending.abort());
const client = dial(server, { plaintext: true, token });
await Promise.all([
  client.serveDeliveries({ channels: [channel], signal: ending.signal }, send),
  receive(client, ending.signal),
]);
