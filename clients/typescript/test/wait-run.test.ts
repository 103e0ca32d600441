import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

import { Code, SessionToolsError, type Client, type WaitOptions } from "@sessiontools/client";
import { EndReason, SessionToolsService, type WaitRunRequest, WaitRunRequestSchema } from "@sessiontools/client/v1";
import { create } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";

import { refusal, status, withRetry } from "./refusals.js";
import { delta, ended, finishes, heartbeat, plays, sends, snapshot, type Script } from "./scripts.js";
import { dialed, proxying, serving } from "./server.js";

/** A server that plays one script for each stream that is opened, the last one for ever, and notes the requests. */
async function waiting(t: TestContext, ...scripts: Script[]) {
  const requests: WaitRunRequest[] = [];
  const address = await serving(t, (router) => router.service(SessionToolsService, plays(scripts, requests)));
  return { ...dialed(t, address), requests, cursors: () => requests.map((each) => each.cursor) };
}

/** Collects the cursors of what a wait yields, and its error. */
async function told(client: Client, request = {}, options: WaitOptions = {}) {
  const cursors: string[] = [];
  try {
    for await (const message of client.waitRun({ runId: "run", ...request }, options)) {
      cursors.push(message.cursor);
    }
  } catch (failure) {
    assert.ok(failure instanceof SessionToolsError, String(failure));
    return { cursors, failure };
  }
  return { cursors, failure: undefined };
}

// W1, W2
test("a cut wait resumes after the last cursor and looks like one stream", async (t) => {
  const cut = status(Code.Unavailable);
  const { client, cursors } = await waiting(
    t,
    sends([snapshot("0"), delta("1"), delta("2")], cut),
    sends([snapshot("2")], cut),
    sends([snapshot("2"), delta("3"), heartbeat("3"), ended("4", EndReason.RUN_TERMINAL)]),
  );

  const wait = await told(client);

  assert.deepEqual(wait, { cursors: ["0", "1", "2", "3", "3", "4"], failure: undefined });
  assert.deepEqual(cursors(), ["", "2", "2"]);
});

test("a wait begins at the caller's cursor and leaves the request alone", async (t) => {
  const { client, cursors } = await waiting(t, sends([snapshot("7"), delta("8")]), finishes("8"));
  const request = create(WaitRunRequestSchema, { runId: "run", cursor: "7", maxWaitSeconds: 60 });

  for await (const _ of client.waitRun(request)) {
    request.runId = "another";
  }

  assert.deepEqual(cursors(), ["7", "8"]);
  assert.equal(request.cursor, "7");
});

const cuts: Record<string, [cut: ConnectError | undefined, isResumed: boolean]> = {
  "the end without a last word": [undefined, true],
  unavailable: [status(Code.Unavailable), true],
  "a cancellation nobody asked for": [status(Code.Canceled), true],
  "a deadline that is not the caller's": [status(Code.DeadlineExceeded), true],
  "a reset that a proxy tells": [status(Code.Internal), true],
  "exhausted, with a time": [withRetry(status(Code.ResourceExhausted), 3n), true],
  "exhausted, without a time": [status(Code.ResourceExhausted), false],
  "a fault of the server": [refusal(Code.Internal, "INTERNAL"), false],
  unknown: [status(Code.Unknown), false],
  "not found": [status(Code.NotFound), false],
  "permission denied": [status(Code.PermissionDenied), false],
  "a cursor of another run": [status(Code.InvalidArgument), false],
  "a wait that could never end": [status(Code.FailedPrecondition), false],
  aborted: [status(Code.Aborted), false],
  "an unknown or expired token": [status(Code.Unauthenticated), false],
  "a method the server has not": [status(Code.Unimplemented), false],
};

for (const [name, [cut, isResumed]] of Object.entries(cuts)) {
  test(`${name} is ${isResumed ? "" : "not "}resumed`, async (t) => {
    const { client } = await waiting(t, sends([snapshot("0"), delta("1")], cut), finishes("2"));

    const wait = await told(client);

    assert.deepEqual(wait.cursors, isResumed ? ["0", "1", "2"] : ["0", "1"]);
    assert.equal(wait.failure?.code, isResumed ? undefined : cut?.code);
  });
}

for (const how of ["closed", "reset"] as const) {
  test(`a connection that is ${how} is resumed`, async (t) => {
    const requests: WaitRunRequest[] = [];
    const scripts = [
      sends([snapshot("0"), delta("1")], "hang"),
      sends([snapshot("1"), delta("2")], "hang"),
      finishes("3"),
    ];
    const address = await serving(t, (router) => router.service(SessionToolsService, plays(scripts, requests)));
    const proxy = await proxying(t, address);
    const { client } = dialed(t, proxy.address);

    const seen: string[] = [];
    for await (const { event, cursor } of client.waitRun({ runId: "run" })) {
      seen.push(cursor);
      if (event.case === "outputDelta") {
        proxy.cut(how);
      }
    }

    assert.deepEqual(seen, ["0", "1", "2", "3"]);
    assert.deepEqual(
      requests.map((each) => each.cursor),
      ["", "1", "2"],
    );
  });
}

// W6
test("ends of the stream that are not the end of the wait are not told", async (t) => {
  const { client, cursors } = await waiting(
    t,
    sends([snapshot("0"), delta("1"), ended("1", EndReason.STREAM_AGE)]),
    sends([snapshot("1"), ended("1", EndReason.DRAINING)]),
    sends([snapshot("1"), delta("2"), ended("2", EndReason.DEADLINE)]),
    sends([snapshot("2"), ended("2", 99 as EndReason)]),
    sends([snapshot("2"), ended("3", EndReason.SETTLED)]),
  );

  const wait = await told(client);

  assert.deepEqual(wait, { cursors: ["0", "1", "2", "3"], failure: undefined });
  assert.deepEqual(cursors(), ["", "1", "1", "2", "2"]);
});

test("a stream whose end is not told is closed before the next", async (t) => {
  let left = (): void => {};
  const leaving = new Promise<void>((resolve) => (left = resolve));
  const stays: Script = async function* (signal) {
    yield ended("0", EndReason.STREAM_AGE);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    left();
  };
  const follows: Script = async function* (signal) {
    await leaving;
    yield* finishes("1")(signal);
  };
  const { client } = await waiting(t, stays, follows);

  const wait = await told(client);

  assert.deepEqual(wait, { cursors: ["1", "1"], failure: undefined });
});

// W6
test("the end of maxWaitSeconds ends the wait", async (t) => {
  const { client, requests } = await waiting(t, sends([snapshot("0"), ended("0", EndReason.MAX_WAIT)]));

  const wait = await told(client, { maxWaitSeconds: 9 });

  assert.deepEqual(wait, { cursors: ["0", "0"], failure: undefined });
  assert.deepEqual(
    requests.map((each) => each.maxWaitSeconds),
    [9],
  );
});

test("maxWaitSeconds are spent over all streams", async (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const takes = (seconds: number): Script =>
    async function* () {
      now += seconds * 1000;
      yield delta("1");
    };
  const { client, requests } = await waiting(t, takes(3.4), takes(3.4), takes(60), finishes("2"));

  await told(client, { maxWaitSeconds: 10 });

  assert.deepEqual(
    requests.map((each) => each.maxWaitSeconds),
    [10, 7, 3, 0],
  );
});

test("a wait without maxWaitSeconds has none after a cut", async (t) => {
  const { client, requests } = await waiting(t, sends([snapshot("0")]), finishes("0"));

  await told(client);

  assert.deepEqual(
    requests.map((each) => each.maxWaitSeconds),
    [undefined, undefined],
  );
});

test("an event of a later contract is passed on", async (t) => {
  const { client } = await waiting(t, sends([snapshot("0"), { cursor: "1" }]), finishes("2"));

  const wait = await told(client);

  assert.deepEqual(wait, { cursors: ["0", "1", "2"], failure: undefined });
});

// W10
test("a RetryInfo is added to the pause", async (t) => {
  const later = withRetry(status(Code.ResourceExhausted), 30n);
  const { client, pauses } = await waiting(t, sends([], later), finishes("0"));

  await told(client);

  assert.deepEqual(pauses, [30_100]);
});

test("pauses grow up to a bound until there is news", async (t) => {
  const silent = Array<Script>(8).fill(sends([snapshot("0")]));
  const { client, pauses } = await waiting(t, ...silent, sends([snapshot("0"), heartbeat("1")]), finishes("1"));

  await told(client);

  assert.deepEqual(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 100]);
});

test("the caller's signal ends a wait", async (t) => {
  const { client, requests } = await waiting(t, sends([snapshot("0")], "hang"));
  const controller = new AbortController();

  const wait = client.waitRun({ runId: "run" }, { signal: controller.signal });
  await wait.next();
  const next = wait.next();
  controller.abort("enough");

  await assert.rejects(next, { name: "SessionToolsError", code: Code.Canceled, cause: "enough" });
  assert.equal(requests.length, 1);
});

test("the caller's signal ends a pause", async (t) => {
  const { client, pauses, requests } = await waiting(t, sends([], status(Code.Unavailable)));
  const controller = new AbortController();
  pauses.push = () => {
    controller.abort();
    return 0;
  };

  const wait = await told(client, {}, { signal: controller.signal });

  assert.equal(wait.failure?.code, Code.Canceled);
  assert.equal(requests.length, 1);
});

test("the caller's deadline ends a wait on a server that hangs", async (t) => {
  const { client } = await waiting(t, sends([snapshot("0")], "hang"));

  const wait = await told(client, {}, { timeoutMs: 50 });

  assert.equal(wait.failure?.code, Code.DeadlineExceeded);
});

test("the caller's deadline ends a wait on a server that is away", async (t) => {
  const { client } = await waiting(t, sends([], status(Code.Unavailable)));

  const wait = await told(client, {}, { timeoutMs: 50 });

  assert.equal(wait.failure?.code, Code.DeadlineExceeded);
});

test("leaving the loop ends the stream", async (t) => {
  let left = (): void => {};
  const leaving = new Promise<void>((resolve) => (left = resolve));
  const { client, requests } = await waiting(t, async function* (signal) {
    yield snapshot("0");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    left();
  });

  for await (const _ of client.waitRun({ runId: "run" })) {
    break;
  }

  await leaving;
  assert.equal(requests.length, 1);
});

test("a request that cannot be encoded is not tried for ever", async (t) => {
  const { client, requests } = await waiting(t, finishes("0"));

  const wait = await told(client, { maxWaitSeconds: 0.5 });

  assert.equal(wait.failure?.code, Code.Internal);
  assert.equal(requests.length, 0);
});
