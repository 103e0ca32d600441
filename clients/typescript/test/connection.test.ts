import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { createServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";

import { Code, dial, SessionToolsError } from "@sessiontools/client";
import { SessionToolsService, type WaitRunRequest } from "@sessiontools/client/v1";

import { finishes, plays, sends, snapshot } from "./scripts.js";
import { dialed, listening, proxying, serving } from "./server.js";

/** A server of HTTP/2 that answers every request like this. */
async function answering(t: TestContext, answer: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createHttp2Server();
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    answer(stream);
  });
  t.after(() => server.close());
  return listening(server);
}

/** A server that does not speak HTTP/2. */
async function accepting(t: TestContext, accept: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    accept(socket);
  });
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return listening(server);
}

for (const how of ["closed", "reset"] as const) {
  test(`a call whose connection is ${how} is repeated`, async (t) => {
    let calls = 0;
    const address = await serving(t, (router) =>
      router.service(SessionToolsService, {
        sessionsSend() {
          calls++;
          if (calls < 3) {
            proxy.cut(how);
          }
          return { runId: "run" };
        },
      }),
    );
    const proxy = await proxying(t, address);
    const { client } = dialed(t, proxy.address);

    const answer = await client.sessionsSend({ message: "hello" });

    assert.equal(answer.runId, "run");
    assert.equal(calls, 3);
  });
}

test("a server that has fallen silent is noticed by keepalive", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const requests: WaitRunRequest[] = [];
  const scripts = [sends([snapshot("0")], "hang"), finishes("1")];
  const address = await serving(t, (router) => router.service(SessionToolsService, plays(scripts, requests)));
  const proxy = await proxying(t, address);
  const wait = dialed(t, proxy.address).client.waitRun({ runId: "run" });
  await wait.next();

  void proxy.stall();
  const next = wait.next();
  t.mock.timers.tick(20_000);
  t.mock.timers.tick(10_000);

  assert.equal((await next).value?.event.case, "ended");
  assert.equal(requests.length, 2);
});

for (const [name, code] of Object.entries({ NO_ERROR: 0, INTERNAL_ERROR: 2, REFUSED_STREAM: 7, CANCEL: 8 })) {
  test(`a stream that is reset with ${name} before its answer was not answered`, async (t) => {
    const { client, pauses } = dialed(t, await answering(t, (stream) => stream.close(code)));

    await assert.rejects(client.agentsList({}), { name: "SessionToolsError", code: Code.Unavailable, reason: "" });
    assert.equal(pauses.length, 4);
  });
}

test("an answer that is not gRPC is not tried again", async (t) => {
  const page = (stream: ServerHttp2Stream) => {
    stream.respond({ ":status": 200, "content-type": "text/html" });
    stream.end("hello");
  };
  const { client, pauses } = dialed(t, await answering(t, page));

  await assert.rejects(client.agentsList({}), { name: "SessionToolsError", code: Code.Unknown });
  assert.deepEqual(pauses, []);
});

test("an answer that cannot be decoded is not tried again", async (t) => {
  const nonsense = (stream: ServerHttp2Stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto" });
    stream.end(Uint8Array.of(0, 0, 0, 0, 2, 10, 9));
  };
  const { client, pauses } = dialed(t, await answering(t, nonsense));

  await assert.rejects(client.agentsList({}), { name: "SessionToolsError", code: Code.Internal });
  assert.deepEqual(pauses, []);
});

test("a peer that does not speak HTTP/2 is unavailable, and does not end the program", async (t) => {
  const { client } = dialed(t, await accepting(t, (socket) => socket.write("SSH-2.0\r\n")));

  await assert.rejects(client.agentsList({}), { name: "SessionToolsError", code: Code.Unavailable });
});

test("a host that nobody listens on is unavailable", async (t) => {
  const server = createServer();
  const address = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  const { client, pauses } = dialed(t, address);

  await assert.rejects(client.agentsList({}), { name: "SessionToolsError", code: Code.Unavailable });
  assert.equal(pauses.length, 4);
});

test("a host that does not come to an agreement is given up", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const target = await accepting(t, (socket) => socket.once("data", () => t.mock.timers.tick(5000)));
  const { client, pauses } = dialed(t, target, { plaintext: false }); // the server never answers for TLS

  await assert.rejects(client.agentsList({}), { name: "SessionToolsError", code: Code.Unavailable });
  assert.equal(pauses.length, 4);
});

test("closing a client ends its calls and refuses later ones", async (t) => {
  const address = await serving(t, (router) =>
    router.service(SessionToolsService, plays([sends([snapshot("0")], "hang"), finishes("0")], [])),
  );
  const { client } = dialed(t, address);
  const wait = client.waitRun({ runId: "run" });
  await wait.next();

  const next = wait.next();
  client.close();

  await assert.rejects(next, { code: Code.FailedPrecondition, message: "the client is closed" });
  await assert.rejects(client.agentsList({}), { code: Code.FailedPrecondition, message: "the client is closed" });
});

test("keepalive ends with the connection", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const address = await serving(t, (router) =>
    router.service(SessionToolsService, plays([sends([snapshot("0")], "hang")], [])),
  );
  const { client } = dialed(t, address);
  const wait = client.waitRun({ runId: "run" });
  await wait.next();

  const next = wait.next();
  client.close();
  await assert.rejects(next, { code: Code.FailedPrecondition });
  await new Promise(setImmediate); // Connect hears of the end of the stream

  assert.doesNotThrow(() => t.mock.timers.tick(60_000));
});

test("a connection that is closed while it is probed is made anew", async (t) => {
  const address = await serving(t, (router) => router.service(SessionToolsService, { agentsList: () => ({}) }));
  const proxy = await proxying(t, address);
  const { client } = dialed(t, proxy.address);
  await client.agentsList({});

  t.mock.method(Date, "now", () => Infinity); // the connection was last heard of long ago
  const dropped = proxy.stall();
  const listed = client.agentsList({});
  await dropped;
  t.mock.reset();
  proxy.cut("closed");

  await listed;
});

test("an idle client does not keep the program running", async (t) => {
  const address = await serving(t, (router) =>
    router.service(SessionToolsService, { agentsList: () => ({ requesterAgentId: "main" }) }),
  );
  const program = `import { dial } from "@sessiontools/client";
    const client = dial(process.argv[1], { plaintext: true });
    console.log((await client.agentsList({})).requesterAgentId);`;

  const child = spawn(process.execPath, ["--input-type=module", "-e", program, address], { stdio: "pipe" });
  const [[code], [output]] = await Promise.all([once(child, "exit"), once(child.stdout, "data")]);

  assert.equal(code, 0);
  assert.equal(String(output), "main\n");
});

for (const target of ["", "host:port", "http://host:1", "host:1/path", "user@host:1"]) {
  test(`the target ${JSON.stringify(target)} is malformed`, () => {
    const wrong = (error: unknown) => error instanceof SessionToolsError && error.code === Code.InvalidArgument;

    assert.throws(() => dial(target), wrong);
  });
}

test("a token that cannot be sent is told when dialing", () => {
  assert.throws(() => dial("localhost:1", { token: "a\nb" }), TypeError);
});
