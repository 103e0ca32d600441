import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import type { Client as Calls, Transport } from "@connectrpc/connect";

import { callsOver } from "./calls.js";
import type { Credentials } from "./calls.js";
import { GatewayService } from "./gen/sessiontools/v1/gateway_service_pb.js";
import { RuntimeService } from "./gen/sessiontools/v1/runtime_service_pb.js";
import { SessionToolsService } from "./gen/sessiontools/v1/session_tools_service_pb.js";
import type { WaitRunRequestSchema, WaitRunResponse } from "./gen/sessiontools/v1/session_tools_service_pb.js";
import { pausing } from "./pauses.js";
import type { Pausing } from "./pauses.js";
import { serveDeliveries } from "./serve-deliveries.js";
import type { DeliveryOptions, Send } from "./serve-deliveries.js";
import { serveRuns } from "./serve-runs.js";
import type { Execute, RuntimeOptions } from "./serve-runs.js";
import { waitRun } from "./wait-run.js";
import type { WaitOptions } from "./wait-run.js";

type Tools = Calls<typeof SessionToolsService>;

/** Every method of the three services, but for the one that Client has better. */
type Methods = Omit<Tools, "waitRun"> & Calls<typeof GatewayService> & Calls<typeof RuntimeService>;

/**
 * Calls a server. It has every method of the three services; a request may be a plain object. Each takes Connect's
 * options: `signal` cancels a call, `timeoutMs` is its deadline. Errors are of type SessionToolsError. One client per
 * program is enough.
 */
export interface Client extends Methods {
  /**
   * Follows a run: one snapshot, every event in order without gap or repeat, heartbeats, and last `ended`.
   *
   * When the connection is cut, or the server ends the stream before the run is over, it opens another one from the
   * last cursor, as often as it has to. What the caller sees is one stream: the snapshots and ends in between are left
   * out. It goes on until the run is over, maxWaitSeconds have passed, the signal or the deadline ends it, or the
   * server refuses. Leaving the loop closes the stream.
   */
  waitRun(
    request: MessageInitShape<typeof WaitRunRequestSchema>,
    options?: WaitOptions,
  ): AsyncGenerator<WaitRunResponse, void, undefined>;

  /**
   * A runtime: takes runs, renews their leases, stops those that are cancelled, and completes them. It goes on through
   * restarts of the server. When the signal ends, the runs under way are told to stop and given back, and it resolves;
   * it rejects when the server refuses the runtime.
   */
  serveRuns(options: RuntimeOptions, execute: Execute): Promise<void>;

  /**
   * The sending half of a gateway: takes outgoing texts, has them sent, and tells the outcome. It goes on through
   * restarts of the server. When the signal ends, the sends under way are finished and it resolves; it rejects when the
   * server refuses the gateway.
   */
  serveDeliveries(options: DeliveryOptions, send: Send): Promise<void>;

  /** A client that acts as a session, over the same connection. Owners and gateways may do so. */
  actingAs(sessionKey: string): Client;

  /** A client with another token, over the same connection. With the token of a run, it is the agent of that run. */
  withToken(token: string): Client;

  /**
   * Ends the connection and every call on it; later calls are refused. On a client that shares the connection of
   * another, or has one of your own, it does nothing.
   */
  close(): void;
}

/** Makes a client over a transport of your own, which should have the interceptor `retries()`. */
export function clientOver(transport: Transport, who: Credentials = {}): Client {
  return newClient({ transport, pausing, close: () => {} }, who);
}

/** What clients that differ in their credentials have in common. */
export interface Shared {
  readonly transport: Transport;
  readonly pausing: Pausing;
  readonly close: () => void;
}

/** Makes a client. */
export function newClient(shared: Shared, who: Credentials): Client {
  const calls = callsOver(shared.transport, who);
  const { waitRun: open, ...tools } = createClient(SessionToolsService, calls);
  const derived = (other: Credentials) => newClient({ ...shared, close: () => {} }, other);
  const client: Client = {
    ...tools,
    ...createClient(GatewayService, calls),
    ...createClient(RuntimeService, calls),
    waitRun: (request, options = {}) => waitRun(open, request, options, shared.pausing),
    serveRuns: (options, execute) => serveRuns(client, shared.pausing, options, execute),
    serveDeliveries: (options, send) => serveDeliveries(client, shared.pausing, options, send),
    actingAs: (actingSession) => derived({ token: who.token, actingSession }),
    withToken: (token) => derived({ token }),
    close: shared.close,
  };
  return client;
}
