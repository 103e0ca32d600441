import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { GatewayService, type ChatSendRequest, type Delivery, type DeliverySchema } from "@sessiontools/client/v1";
import type { MessageInitShape } from "@bufbuild/protobuf";

import { Channel } from "./channel.js";
import { serving } from "./server.js";

const program = fileURLToPath(new URL("../../../../examples/typescript-gateway/dist/main.js", import.meta.url));

test("the example hands in what is typed, prints what goes out, and ends in order", async (t) => {
  const [sent, receipts] = [new Channel<ChatSendRequest>(), new Channel<string>()];
  let isEnding = false;
  const queue = new Channel<MessageInitShape<typeof DeliverySchema>[]>();
  const address = await serving(t, (router) =>
    router.service(GatewayService, {
      chatSend(request) {
        sent.put(request);
        return {};
      },
      acquireDeliveries: async () => ({ deliveries: isEnding ? [] : await queue.take() }),
      ackDelivery(ack) {
        receipts.put(ack.receipt);
        return {};
      },
    }),
  );
  const gateway = spawn(process.execPath, [program, "--server", address, "--channel", "webchat"], { stdio: "pipe" });
  t.after(() => gateway.kill("SIGKILL"));
  const exit = once(gateway, "exit");

  gateway.stdin.write("hello\n");
  const chat = await sent.take();
  queue.put([{ id: "1", text: "echo: hello", route: chat.route as NonNullable<Delivery["route"]> }]);
  const [line] = await once(createInterface({ input: gateway.stdout }), "line");
  const receipt = await receipts.take();
  isEnding = true; // polls are answered at once
  gateway.kill("SIGTERM");
  queue.put([]);

  assert.deepEqual([chat.sessionKey, chat.text, chat.sender?.isOwner], ["main", "hello", true]);
  assert.equal(line, "webchat -> you: echo: hello");
  assert.equal(receipt, "printed-1");
  assert.deepEqual(await exit, [0, null]);
});
