import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";

import { Code, dialWeb } from "@sessiontools/client/web";
import { SessionToolsService, type WaitRunRequest } from "@sessiontools/client/v1";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

import { delta, finishes, plays, sends, snapshot } from "./scripts.js";
import { listening } from "./server.js";

/** A server of gRPC-Web over HTTP 1.1, as browsers have it. */
async function serving(t: TestContext, routes: (router: ConnectRouter) => void): Promise<[Server, string]> {
  const server = createServer(connectNodeAdapter({ routes }));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return [server, `http://${await listening(server)}`];
}

/** Imports a module of this package where the modules of Node are refused. */
async function importedInABrowser(module: string): Promise<unknown> {
  const hooks = JSON.stringify(new URL("browser-hooks.js", import.meta.url));
  const program = `import { register } from "node:module"; register(${hooks}); await import(${JSON.stringify(module)});`;
  return promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
}

test("what a browser imports reaches no module of Node", async () => {
  await importedInABrowser("@sessiontools/client/web");
  await importedInABrowser("@sessiontools/client/v1");

  await assert.rejects(importedInABrowser("@sessiontools/client"), /imports node:/);
});

test("a browser calls with credentials, and gets typed errors", async (t) => {
  const seen: (string | null)[] = [];
  const [, url] = await serving(t, (router) =>
    router.service(SessionToolsService, {
      sessionsSend(request, context) {
        seen.push(context.requestHeader.get("authorization"));
        return { runId: request.message };
      },
    }),
  );
  const client = dialWeb(url, { token: "secret" });

  const answer = await client.sessionsSend({ message: "hello" });

  assert.equal(answer.runId, "hello");
  assert.deepEqual(seen, ["Bearer secret"]);
  await assert.rejects(client.agentsList({}), { name: "SessionToolsError", code: Code.Unimplemented });
});

test("a wait in a browser is resumed when it is cut", async (t) => {
  const requests: WaitRunRequest[] = [];
  const scripts = [sends([snapshot("0"), delta("1")], "hang"), finishes("2")];
  const [server, url] = await serving(t, (router) => router.service(SessionToolsService, plays(scripts, requests)));

  const cursors: string[] = [];
  for await (const { event, cursor } of dialWeb(url).waitRun({ runId: "run" })) {
    cursors.push(cursor);
    if (event.case === "outputDelta") {
      server.closeAllConnections();
    }
  }

  assert.deepEqual(cursors, ["0", "1", "2"]);
  assert.deepEqual(
    requests.map((each) => each.cursor),
    ["", "1"],
  );
});
