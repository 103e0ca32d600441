import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

import { Code, LeaseLost, RunCancelled, RunFailure, type Execute } from "@sessiontools/client";
import { RuntimeService, type AcquireRunsRequest, type RunAssignmentSchema } from "@sessiontools/client/v1";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";

import { Channel } from "./channel.js";
import { refusal, status } from "./refusals.js";
import { dialed, serving } from "./server.js";

type Run = MessageInitShape<typeof RunAssignmentSchema>;

/** What a fake server does; each list is used up from its front. */
interface Script {
  /** How every lease stands. */
  lease?: { lost?: boolean; cancelRequested?: boolean };
  appendErrors?: ConnectError[];
  endErrors?: ConnectError[];
  heartbeatError?: ConnectError;
  cancelOnAppend?: boolean;
  maxRuns?: number;
}

const one: Run[] = [
  {
    run: { id: "run" },
    leaseToken: "lease",
    leaseSeconds: 30,
    runToken: "run token",
    input: { content: [{ block: { case: "text", value: { text: "hello" } } }] },
  },
];

/** A runtime whose server hands out what is put into its queue. */
async function serve(t: TestContext, execute: Execute, script: Script = {}) {
  const queue = new Channel<Run[] | ConnectError>();
  const polls = new Channel<AcquireRunsRequest>();
  const ends = new Channel<string>();
  const heartbeats = new Channel<string[]>();
  const [appended, warnings] = [[] as string[], [] as string[]];
  const end = (how: string) => {
    const error = script.endErrors?.shift();
    if (error) {
      throw error;
    }
    ends.put(how);
    return {};
  };
  const address = await serving(t, (router) =>
    router.service(RuntimeService, {
      async acquireRuns(request) {
        polls.put(request);
        const answer = await queue.take();
        if (answer instanceof Error) {
          throw answer;
        }
        return { runs: answer };
      },
      heartbeatRuns({ leases }) {
        heartbeats.put(leases);
        if (script.heartbeatError) {
          throw script.heartbeatError;
        }
        return { leases: leases.map((leaseToken) => ({ leaseToken, ...script.lease })) };
      },
      appendRunEvents({ firstSequence, events }) {
        const error = script.appendErrors?.shift();
        if (error) {
          throw error;
        }
        events.forEach(({ event }, i) => appended.push(`${Number(firstSequence) + i} ${event.value}`));
        return { nextSequence: BigInt(appended.length + 1), cancelRequested: script.cancelOnAppend ?? false };
      },
      completeRun({ outcome }) {
        const { value } = outcome;
        const about = typeof value === "object" && "reason" in value ? `${value.reason} ${value.message}` : value;
        return end(outcome.case === "cancelled" ? "cancelled" : `${outcome.case} ${about}`);
      },
      releaseRun: ({ reason }) => end(`released ${reason}`),
    }),
  );
  const controller = new AbortController();
  const log = { warn: (message: string) => void warnings.push(message) };
  const options = { id: "test", agentIds: ["builder"], maxRuns: script.maxRuns, signal: controller.signal, log };
  const { client, pauses } = dialed(t, address);
  const served = client.serveRuns(options, execute);
  const stop = () => controller.abort("shutdown");
  /** Stops, answers the poll under way if there is one, and gives the outcome of serveRuns. */
  const ended = () => {
    stop();
    queue.put([]);
    return served;
  };
  return { queue, polls, ends, heartbeats, pauses, appended, warnings, served, stop, ended };
}

/** A handler that stops when it is told to. */
const hangs: Execute = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

const replies: Execute = (run) => `you said ${run.text}`;

function fails(error: unknown): Execute {
  return () => {
    throw error;
  };
}

// R3, R6
const endings: Record<string, [execute: Execute, script: Script, end: string]> = {
  "with a reply": [replies, {}, "reply you said hello"],
  "with an error": [fails(new Error("no model")), {}, "failure RUNTIME_ERROR no model"],
  "with what is no error": [fails("no model"), {}, "failure RUNTIME_ERROR no model"],
  "with a failure": [fails(new RunFailure("BUSY", "later")), {}, "failure BUSY later"],
  "when cancelled": [hangs, { lease: { cancelRequested: true } }, "cancelled"],
  "after a restart": [replies, { endErrors: Array(7).fill(status(Code.Unavailable)) }, "reply you said hello"],
  "when refused": [
    replies,
    { endErrors: [refusal(Code.InvalidArgument, "MESSAGE_TOO_LARGE", "too large")] },
    "failure MESSAGE_TOO_LARGE too large",
  ],
};

for (const [name, [execute, script, end]] of Object.entries(endings)) {
  test(`a run ends ${name}`, async (t) => {
    const runtime = await serve(t, execute, script);
    runtime.queue.put(one);

    const told = await runtime.ends.take();

    assert.equal(told, end);
    await runtime.ended();
  });
}

test("one heartbeat renews all leases, thrice in the time of a lease", async (t) => {
  const runtime = await serve(t, hangs, { maxRuns: 2 });
  runtime.queue.put(["a", "b"].map((leaseToken) => ({ leaseToken, leaseSeconds: 30 })));

  const leases = await runtime.heartbeats.take();
  await runtime.ended();

  assert.deepEqual(leases, ["a", "b"]);
  assert.ok(runtime.pauses.includes(10_000), String(runtime.pauses));
});

test("leases are renewed until the last run has ended", async (t) => {
  let finish = (_: string): void => {};
  const runtime = await serve(t, () => new Promise((resolve) => (finish = resolve)));
  runtime.queue.put(one);
  await runtime.heartbeats.take();

  const ended = runtime.ended();
  while (runtime.heartbeats.size > 0) {
    await runtime.heartbeats.take();
  }
  const leases = await runtime.heartbeats.take();
  finish("done");
  await ended;

  assert.deepEqual(leases, ["lease"]);
  assert.equal(await runtime.ends.take(), "reply done");
});

// R3
test("a run whose lease is lost is left alone", async (t) => {
  const reasons = new Channel<unknown>();
  const late: Execute = (_, signal) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        reasons.put(signal.reason);
        resolve("too late");
      }),
    );
  const runtime = await serve(t, late, { lease: { lost: true } });
  runtime.queue.put(one);

  const reason = await reasons.take();
  await runtime.ended();

  assert.ok(reason instanceof LeaseLost);
  assert.equal(runtime.ends.size, 0);
  assert.deepEqual(runtime.warnings, ["the lease of a run was lost"]);
});

// R3
test("a run that another runtime has ended does not stop the runtime", async (t) => {
  const runtime = await serve(t, replies, { endErrors: [refusal(Code.FailedPrecondition, "LEASE_LOST")] });
  runtime.queue.put(one);
  runtime.queue.put(one);

  const end = await runtime.ends.take();
  await runtime.ended();

  assert.equal(end, "reply you said hello");
  assert.deepEqual(runtime.warnings, ["the end of a run was not stored"]);
});

// X4
test("the end of the runtime gives its runs back", async (t) => {
  const began = new Channel<true>();
  const runtime = await serve(t, (run, signal) => {
    began.put(true);
    return hangs(run, signal);
  });
  runtime.queue.put(one);
  await began.take();

  await runtime.ended();

  assert.equal(runtime.ends.size, 1);
  assert.equal(await runtime.ends.take(), "released shutdown");
});

// X4
test("a run that the last poll brings is given back", async (t) => {
  const runtime = await serve(t, () => assert.fail("it was executed"));
  await runtime.polls.take();

  runtime.stop();
  runtime.queue.put(one);
  await runtime.served;

  assert.equal(runtime.ends.size, 1);
  assert.equal(await runtime.ends.take(), "released shutdown");
});

test("a runtime asks again while the server is away", async (t) => {
  const runtime = await serve(t, replies);
  for (let attempt = 0; attempt < 7; attempt++) {
    runtime.queue.put(status(Code.Unavailable));
  }
  runtime.queue.put(one);

  const end = await runtime.ends.take();
  const poll = await runtime.polls.take();
  await runtime.ended();

  assert.equal(end, "reply you said hello");
  assert.deepEqual([poll.runtimeId, poll.agentIds, poll.maxRuns], ["test", ["builder"], 1]);
});

// V6
test("a runtime that is refused stops", async (t) => {
  const runtime = await serve(t, replies);

  runtime.queue.put(refusal(Code.PermissionDenied, "ROLE_DENIED"));

  await assert.rejects(runtime.served, { name: "SessionToolsError", reason: "ROLE_DENIED" });
});

// V6
test("a runtime whose heartbeat is refused gives its runs back and stops", async (t) => {
  const runtime = await serve(t, hangs, { heartbeatError: refusal(Code.Unauthenticated, "UNAUTHENTICATED") });
  runtime.queue.put(one);

  const end = await runtime.ends.take();

  assert.equal(end, "released shutdown");
  await assert.rejects(runtime.served, { name: "SessionToolsError", reason: "UNAUTHENTICATED" });
});

test("events are numbered and appended once", async (t) => {
  const talks: Execute = async (run) => {
    await Promise.all([run.delta("a"), run.delta("b")]);
    return "done";
  };
  const runtime = await serve(t, talks, { appendErrors: Array(7).fill(status(Code.Unavailable)) });
  runtime.queue.put(one);

  const end = await runtime.ends.take();
  await runtime.ended();

  assert.equal(end, "reply done");
  assert.deepEqual(runtime.appended, ["1 a", "2 b"]);
});

test("the number after an append that was refused is asked for", async (t) => {
  const script: Script = {};
  const talks: Execute = async (run) => {
    await run.delta("a");
    script.appendErrors = [refusal(Code.InvalidArgument, "MESSAGE_TOO_LARGE")];
    await assert.rejects(run.delta("b"), { reason: "MESSAGE_TOO_LARGE" });
    await run.delta("c");
    return "done";
  };
  const runtime = await serve(t, talks, script);
  runtime.queue.put(one);

  const end = await runtime.ends.take();
  await runtime.ended();

  assert.equal(end, "reply done");
  assert.deepEqual(runtime.appended, ["1 a", "2 c"]);
});

test("an append tells of a cancellation", async (t) => {
  const reasons: unknown[] = [];
  const talks: Execute = async (run, signal) => {
    await run.delta("a");
    reasons.push(signal.reason);
    throw signal.reason;
  };
  const runtime = await serve(t, talks, { cancelOnAppend: true });
  runtime.queue.put(one);

  const end = await runtime.ends.take();
  await runtime.ended();

  assert.equal(end, "cancelled");
  assert.ok(reasons[0] instanceof RunCancelled);
});

test("an append that lost the lease stops the run", async (t) => {
  const reasons = new Channel<unknown>();
  const talks: Execute = async (run, signal) => {
    await assert.rejects(run.delta("a"), { reason: "LEASE_LOST" });
    reasons.put(signal.reason);
    return "too late";
  };
  const runtime = await serve(t, talks, { appendErrors: [refusal(Code.FailedPrecondition, "LEASE_LOST")] });
  runtime.queue.put(one);

  const reason = await reasons.take();
  await runtime.ended();

  assert.ok(reason instanceof LeaseLost);
  assert.equal(runtime.ends.size, 0);
});
