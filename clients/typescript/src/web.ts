/**
 * The client for browsers, over gRPC-Web. Nothing that it imports needs Node.
 *
 * ```ts
 * const client = dialWeb("https://tools.example", { token });
 * ```
 *
 * @module
 */
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import type { Credentials } from "./calls.js";
import { newClient } from "./client.js";
import type { Client } from "./client.js";
import { pausing } from "./pauses.js";
import { retries } from "./retries.js";

export * from "./api.js";

/** How to fetch, and who calls. */
export interface WebOptions extends Credentials {
  /** Another `fetch`, as one that sends cookies. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Makes a client for a proxy that translates gRPC-Web for the server, by the address below which it serves. The browser
 * connects, and decides about keepalive and sizes.
 */
export function dialWeb(baseUrl: string, options: WebOptions = {}): Client {
  const transport = createGrpcWebTransport({
    baseUrl,
    interceptors: [retries()],
    ...(options.fetch && { fetch: options.fetch }),
  });
  return newClient({ transport, pausing, close: () => {} }, options);
}
