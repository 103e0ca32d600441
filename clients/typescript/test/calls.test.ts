import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

import { Code, hasReason, SessionToolsError, type Client, type DialOptions } from "@sessiontools/client";
import { ErrorReason, SessionsSendRequestSchema, SessionToolsService } from "@sessiontools/client/v1";
import { create } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";

import { refusal, status, withFields, withRetry } from "./refusals.js";
import { dialed, serving } from "./server.js";

/** A server that notes what it is sent, and answers with these errors first. */
async function sending(t: TestContext, errors: ConnectError[] = [], options: DialOptions = {}) {
  const ids: string[] = [];
  const headers: Headers[] = [];
  const address = await serving(t, (router) =>
    router.service(SessionToolsService, {
      sessionsSend(request, context) {
        ids.push(request.requestId);
        headers.push(context.requestHeader);
        const error = errors.shift();
        if (error) {
          throw error;
        }
        return { runId: "run" };
      },
    }),
  );
  return { ...dialed(t, address, options), ids, headers };
}

async function failureOf(client: Client, options = {}): Promise<SessionToolsError> {
  const failure: unknown = await client.sessionsSend({ message: "hello" }, options).then(
    () => assert.fail("the call succeeded"),
    (error: unknown) => error,
  );
  assert.ok(failure instanceof SessionToolsError, String(failure));
  return failure;
}

test("an empty request_id is filled in anew for every call", async (t) => {
  const { client, ids } = await sending(t);
  const request = create(SessionsSendRequestSchema, { message: "hello" });

  await client.sessionsSend(request);
  await client.sessionsSend(request);

  assert.match(ids[0] ?? "", /^[0-9a-f-]{36}$/);
  assert.notEqual(ids[0], ids[1]);
  assert.equal(request.requestId, "");
});

test("the caller's request_id is kept", async (t) => {
  const { client, ids } = await sending(t);

  await client.sessionsSend({ message: "hello", requestId: "mine" });

  assert.deepEqual(ids, ["mine"]);
});

test("a call that found the server unavailable is repeated with its request_id", async (t) => {
  const { client, ids, pauses } = await sending(t, [status(Code.Unavailable), status(Code.Unavailable)]);

  const answer = await client.sessionsSend({ message: "hello" });

  assert.equal(answer.runId, "run");
  assert.equal(ids.length, 3);
  assert.equal(new Set(ids).size, 1);
  assert.deepEqual(pauses, [100, 200]);
});

test("a call is tried five times", async (t) => {
  const { client, ids, pauses } = await sending(t, Array(9).fill(status(Code.Unavailable)));

  const failure = await failureOf(client);

  assert.equal(failure.code, Code.Unavailable);
  assert.equal(ids.length, 5);
  assert.deepEqual(pauses, [100, 200, 400, 800]);
});

test("a refused call is not repeated", async (t) => {
  const { client, ids } = await sending(t, [status(Code.ResourceExhausted)]);

  const failure = await failureOf(client);

  assert.equal(failure.code, Code.ResourceExhausted);
  assert.equal(ids.length, 1);
});

test("credentials go with every call", async (t) => {
  const { client, headers } = await sending(t, [], { token: "secret", actingSession: "main" });

  await client.sessionsSend({});
  await client.actingAs("cron:1").sessionsSend({});
  await client.withToken("run token").sessionsSend({});

  const seen = headers.map((each) => [each.get("authorization"), each.get("acting-session")]);
  assert.deepEqual(seen, [
    ["Bearer secret", "main"],
    ["Bearer secret", "cron:1"],
    ["Bearer run token", null],
  ]);
});

test("the headers of a call go beside the credentials", async (t) => {
  const { client, headers } = await sending(t, [], { token: "secret" });

  await client.sessionsSend({}, { headers: { traceparent: "00-1-2-01" } });

  assert.equal(headers[0]?.get("authorization"), "Bearer secret");
  assert.equal(headers[0]?.get("traceparent"), "00-1-2-01");
});

test("a client that shares a connection does not close it", async (t) => {
  const { client, ids } = await sending(t);

  client.actingAs("main").close();
  await client.sessionsSend({});

  assert.equal(ids.length, 1);
});

// X1
test("a refusal has its reason and details", async (t) => {
  const refused = refusal(Code.InvalidArgument, "INVALID_FIELD", "the message is blank");
  const { client } = await sending(t, [withRetry(withFields(refused, "message", "is required"), 2n, 5e8)]);

  const failure = await failureOf(client);

  assert.equal(failure.code, Code.InvalidArgument);
  assert.equal(failure.reason, "INVALID_FIELD");
  assert.equal(failure.message, "the message is blank");
  assert.deepEqual({ ...failure.metadata }, { name: "value" });
  assert.deepEqual(failure.fields, [{ field: "message", problem: "is required" }]);
  assert.equal(failure.retryAfterMs, 2500);
  assert.ok(hasReason(failure, ErrorReason.INVALID_FIELD));
  assert.ok(!hasReason(failure, ErrorReason.LEASE_LOST));
  assert.equal(String(failure), "INVALID_FIELD: the message is blank");
});

test("the prefix of a reason is left out", async (t) => {
  const { client } = await sending(t, [refusal(Code.FailedPrecondition, "ERROR_REASON_LEASE_LOST")]);

  const failure = await failureOf(client);

  assert.equal(failure.reason, "LEASE_LOST");
});

test("an error that is not the service's has no reason", async (t) => {
  const { client } = await sending(t, [refusal(Code.PermissionDenied, "IP_BLOCKED", "no", "proxy")]);

  const failure = await failureOf(client);

  assert.equal(failure.reason, "");
  assert.deepEqual(failure.metadata, {});
  assert.equal(String(failure), "PermissionDenied: no");
});

test("the caller's cancellation is recognizable", async (t) => {
  const { client, ids } = await sending(t);

  const failure = await failureOf(client, { signal: AbortSignal.abort("enough") });

  assert.equal(failure.code, Code.Canceled);
  assert.equal(failure.cause, "enough");
  assert.deepEqual(ids, []);
});

for (const [name, options] of Object.entries({
  timeoutMs: () => ({ timeoutMs: 20 }),
  "a signal": () => ({ signal: AbortSignal.timeout(20) }),
})) {
  test(`the caller's deadline by ${name} is recognizable`, async (t) => {
    const address = await serving(t, (router) =>
      router.service(SessionToolsService, { sessionsSend: () => new Promise<never>(() => {}) }),
    );

    const failure = await failureOf(dialed(t, address).client, options());

    assert.equal(failure.code, Code.DeadlineExceeded);
  });
}

test("a request that cannot be encoded is not tried again", async (t) => {
  const { client, ids, pauses } = await sending(t);

  const sent = client.sessionsSend({ timeoutSeconds: -1 });

  await assert.rejects(sent, { name: "SessionToolsError", code: Code.Internal });
  assert.deepEqual([ids, pauses], [[], []]);
});

test("a request of more than 4 MiB is not sent", async (t) => {
  const { client, ids } = await sending(t);

  const sent = client.sessionsSend({ message: "m".repeat(4 * 2 ** 20) });

  await assert.rejects(sent, { name: "SessionToolsError", code: Code.ResourceExhausted });
  assert.deepEqual(ids, []);
});
