import type { SecureClientSessionOptions } from "node:http2";

import { Code } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

import type { Credentials } from "./calls.js";
import { newClient } from "./client.js";
import type { Client } from "./client.js";
import { Connection } from "./connection.js";
import { SessionToolsError } from "./errors.js";
import { pausing } from "./pauses.js";
import type { Pausing } from "./pauses.js";
import { retriesWith } from "./retries.js";

const MEBIBYTE = 2 ** 20;

const LIMITS = {
  // The server takes requests up to this size.
  writeMaxBytes: 4 * MEBIBYTE,
  // The server's answers are smaller; a later one may send more.
  readMaxBytes: 16 * MEBIBYTE,
};

/** How to connect, and who calls. */
export interface DialOptions extends Credentials {
  /** Connects without TLS, as to a server on the same machine. */
  readonly plaintext?: boolean | undefined;
  /** Connects with these options of TLS: your own certificate authorities, or a certificate of the client. */
  readonly tls?: SecureClientSessionOptions | undefined;
}

/**
 * Makes a client for a server, such as `localhost:50551`. It connects when the first call needs it, with TLS unless
 * `plaintext` says otherwise, and connects again as often as it has to. An idle connection does not keep the program
 * running. Throws when the target is malformed.
 */
export function dial(target: string, options: DialOptions = {}): Client {
  return dialWith(pausing, target, options);
}

/** The same with other pauses. */
export function dialWith(pausing: Pausing, target: string, options: DialOptions): Client {
  const connection = new Connection(urlOf(target, options), options.tls ?? {});
  const transport = createGrpcTransport({
    baseUrl: connection.authority,
    sessionManager: connection,
    interceptors: [retriesWith(pausing)],
    ...LIMITS,
  });
  return newClient({ transport, pausing, close: () => connection.close() }, options);
}

function urlOf(target: string, options: DialOptions): URL {
  const text = `${options.plaintext ? "http" : "https"}://${target}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.href !== `${url.origin}/`) {
    throw new SessionToolsError(Code.InvalidArgument, `the target is not of the form host:port: ${target}`);
  }
  return url;
}
