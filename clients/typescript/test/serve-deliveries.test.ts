import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

import { Code, SendFailure, type Send } from "@sessiontools/client";
import { GatewayService, type AcquireDeliveriesRequest } from "@sessiontools/client/v1";
import type { ConnectError } from "@connectrpc/connect";

import { Channel } from "./channel.js";
import { refusal, status } from "./refusals.js";
import { dialed, serving } from "./server.js";

interface Fake {
  /** What polls are answered with. */
  readonly queue: Channel<{ id: string; leaseToken: string }[] | ConnectError>;
  readonly polls: Channel<AcquireDeliveriesRequest>;
  readonly outcomes: Channel<string>;
  readonly warnings: string[];
  readonly served: Promise<void>;
  readonly stop: () => void;
  /** Stops, answers the poll under way, and gives the outcome of serveDeliveries. */
  readonly end: () => Promise<void>;
}

const one = [{ id: "delivery", leaseToken: "lease" }];

/** A gateway whose server hands out what is put into its queue; its outcomes are refused like this at first. */
async function serve(t: TestContext, send: Send, refusals: ConnectError[] = []): Promise<Fake> {
  const queue: Fake["queue"] = new Channel();
  const [polls, outcomes, warnings] = [new Channel<AcquireDeliveriesRequest>(), new Channel<string>(), [] as string[]];
  const note = (outcome: string) => {
    const error = refusals.shift();
    outcomes.put(error ? Code[error.code] : outcome);
    if (error) {
      throw error;
    }
    return {};
  };
  const address = await serving(t, (router) =>
    router.service(GatewayService, {
      async acquireDeliveries(request) {
        polls.put(request);
        const answer = await queue.take();
        if (answer instanceof Error) {
          throw answer;
        }
        return { deliveries: answer };
      },
      ackDelivery: ({ receipt }) => note(`ack ${receipt}`),
      nackDelivery: (nack) => note(`nack ${nack.reason} ${nack.permanent} ${nack.retryAfterSeconds}`),
    }),
  );
  const controller = new AbortController();
  const log = { warn: (message: string) => void warnings.push(message) };
  const options = { channels: ["telegram"], maxDeliveries: 2, signal: controller.signal, log };
  const served = dialed(t, address).client.serveDeliveries(options, send);
  const stop = () => controller.abort();
  const end = () => {
    stop();
    queue.put([]);
    return served;
  };
  return { queue, polls, outcomes, warnings, served, stop, end };
}

function fails(error: unknown): Send {
  return () => {
    throw error;
  };
}

// D2
const outcomes: Record<string, [send: Send, outcome: string]> = {
  "a text that was sent": [() => "receipt", "ack receipt"],
  "a text that was sent without receipt": [async () => {}, "ack "],
  "a text that was not sent": [fails(new Error("no network")), "nack no network false undefined"],
  "a text that never can be": [fails(new SendFailure("no peer", { permanent: true })), "nack no peer true undefined"],
  "a text for later": [fails(new SendFailure("slow down", { retryAfterMs: 1500 })), "nack slow down false 2"],
  "a failure that is no error": [fails("out of paper"), "nack out of paper false undefined"],
  "a long sentence": [fails(new Error("😀".repeat(2000))), `nack ${"😀".repeat(1024)} false undefined`],
};

for (const [name, [send, outcome]] of Object.entries(outcomes)) {
  test(`the outcome is told of ${name}`, async (t) => {
    const gateway = await serve(t, send);
    gateway.queue.put(one);

    const told = await gateway.outcomes.take();

    assert.equal(told, outcome);
    await gateway.end();
  });
}

test("an outcome is told again after a restart", async (t) => {
  const gateway = await serve(t, () => "receipt", Array(7).fill(status(Code.Unavailable)));
  gateway.queue.put(one);

  const told: string[] = [];
  while (told.at(-1) !== "ack receipt") {
    told.push(await gateway.outcomes.take());
  }

  assert.equal(told.length, 8);
  await gateway.end();
});

// D1
test("a lost lease does not stop the gateway", async (t) => {
  const gateway = await serve(t, () => "receipt", [refusal(Code.FailedPrecondition, "LEASE_LOST")]);
  gateway.queue.put(one);
  assert.equal(await gateway.outcomes.take(), "FailedPrecondition");

  gateway.queue.put(one);

  assert.equal(await gateway.outcomes.take(), "ack receipt");
  assert.deepEqual(gateway.warnings, ["the outcome of a delivery was not stored"]);
  await gateway.end();
});

// X4
test("a send under way is finished at the end", async (t) => {
  let finish = (_: string): void => {};
  const sending = new Channel<string>();
  const gateway = await serve(t, ({ id }) => {
    sending.put(id);
    return new Promise((resolve) => (finish = resolve));
  });
  gateway.queue.put(one);
  await sending.take();

  const ended = gateway.end();
  finish("receipt");
  await ended;

  assert.equal(gateway.outcomes.size, 1);
  assert.equal(await gateway.outcomes.take(), "ack receipt");
});

// X4
test("what the last poll brings is sent", async (t) => {
  const gateway = await serve(t, () => "receipt");
  await gateway.polls.take();

  gateway.stop();
  gateway.queue.put(one);
  await gateway.served;

  assert.equal(gateway.outcomes.size, 1);
  assert.equal(await gateway.outcomes.take(), "ack receipt");
});

test("a gateway asks for its channels and its free places", async (t) => {
  const sent = new Channel<(receipt: string) => void>();
  const gateway = await serve(t, () => new Promise<string>((resolve) => sent.put(resolve)));
  const first = await gateway.polls.take();
  gateway.queue.put(one);
  const second = await gateway.polls.take();
  gateway.queue.put(one);
  (await sent.take())("receipt");
  const third = await gateway.polls.take();

  assert.deepEqual(first.channels, ["telegram"]);
  assert.deepEqual(
    [first, second, third].map((each) => each.maxDeliveries),
    [2, 1, 1],
  );
  (await sent.take())("receipt");
  await gateway.end();
});

test("a gateway asks again while the server is away", async (t) => {
  const gateway = await serve(t, () => "receipt");
  for (let attempt = 0; attempt < 7; attempt++) {
    gateway.queue.put(status(Code.Unavailable));
  }
  gateway.queue.put(one);

  assert.equal(await gateway.outcomes.take(), "ack receipt");
  await gateway.end();
});

// V6
test("a gateway that is refused stops", async (t) => {
  const gateway = await serve(t, () => "receipt");

  gateway.queue.put(refusal(Code.PermissionDenied, "ROLE_DENIED"));

  await assert.rejects(gateway.served, { name: "SessionToolsError", reason: "ROLE_DENIED" });
});
