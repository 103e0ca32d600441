import { createServer, type ServerHttp2Session } from "node:http2";
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";

import type { Client, DialOptions } from "@sessiontools/client";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

import { dialWith } from "#dist/dial.js";
import { endOf } from "#dist/typed.js";

/** Starts a gRPC server on loopback for the time of a test, and gives its address. */
export async function serving(t: TestContext, routes: (router: ConnectRouter) => void): Promise<string> {
  const server = createServer(connectNodeAdapter({ routes }));
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  t.after(() => {
    sessions.forEach((session) => session.destroy());
    server.close();
  });
  return listening(server);
}

/** Has a server listen on loopback, and gives its address. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client that pauses not at all, and notes for how many milliseconds it would have. */
export function dialed(
  t: TestContext,
  target: string,
  options: DialOptions = {},
): { client: Client; pauses: number[] } {
  const pauses: number[] = [];
  const pausing = {
    random: () => 0.5,
    sleep: async (pauseMs: number, signal?: AbortSignal) => {
      pauses.push(pauseMs);
      await new Promise(setImmediate); // a loop of pauses lets others work
      if (signal?.aborted) {
        throw endOf(signal);
      }
    },
  };
  const client = dialWith(pausing, target, { plaintext: true, ...options });
  t.after(() => client.close());
  return { client, pauses };
}

/** A proxy before a server. */
export interface Proxy {
  readonly address: string;
  /** Ends every connection, in order or with a reset. */
  cut(how: "closed" | "reset"): void;
  /** Drops what comes on the connections that there are, and leaves them open; resolves when something was dropped. */
  stall(): Promise<void>;
}

/** Starts a proxy for the time of a test. */
export async function proxying(t: TestContext, upstream: string): Promise<Proxy> {
  const [host, port] = upstream.split(":");
  const clients = new Set<Socket>();
  const server = createTcpServer((client) => {
    const up = connect(Number(port), host);
    clients.add(client);
    client.pipe(up).pipe(client);
    client.on("error", () => {}).on("close", () => up.destroy());
    up.on("error", () => {}).on("close", () => client.destroy());
  });
  const cut = (how: "closed" | "reset") => {
    clients.forEach((client) => (how === "reset" ? client.resetAndDestroy() : client.destroy()));
    clients.clear();
  };
  const stall = () =>
    new Promise<void>((resolve) =>
      clients.forEach((client) =>
        client
          .unpipe()
          .on("data", () => resolve())
          .resume(),
      ),
    );
  t.after(() => {
    cut("closed");
    server.close();
  });
  return { address: await listening(server), cut, stall };
}
