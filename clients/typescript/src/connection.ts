import type { ClientHttp2Stream, ClientSessionOptions, Http2Session, SecureClientSessionOptions } from "node:http2";

import { Code, ConnectError } from "@connectrpc/connect";
import { Http2SessionManager } from "@connectrpc/connect-node";

import { guardSession, guardStream } from "./guards.js";

// A server that vanished is noticed within 30 s, also by a wait that is silent.
const KEEPALIVE = { pingIntervalMs: 20_000, pingTimeoutMs: 10_000, pingIdleConnection: true };
const CONNECT_TIMEOUT_MS = 5_000;

/** One connection to a server, made when a call needs it, and made anew as often as it has to be. */
export class Connection extends Http2SessionManager {
  #isClosed = false;
  #session: Http2Session | undefined; // of the latest call

  constructor(url: URL, options: ClientSessionOptions | SecureClientSessionOptions) {
    super(url, KEEPALIVE, options);
  }

  override async request(...request: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream> {
    if (this.#isClosed) {
      throw closed();
    }
    const timer = setTimeout(() => this.#giveUp(), CONNECT_TIMEOUT_MS);
    try {
      const stream = await super.request(...request);
      this.#guard(stream);
      return stream;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the connection and every call on it, for good. */
  close(): void {
    this.#isClosed = true;
    if (this.state() === "idle") {
      this.#session?.close(); // in order, which abort is not
    } else {
      this.abort(closed());
    }
  }

  // The system would try to reach a host that is gone for minutes.
  #giveUp(): void {
    if (this.state() === "connecting") {
      this.abort(new ConnectError("the server could not be reached in time", Code.Unavailable));
    }
  }

  #guard(stream: ClientHttp2Stream): void {
    guardStream(stream);
    if (stream.session !== undefined && stream.session !== this.#session) {
      guardSession(stream.session);
      this.#session = stream.session;
    }
  }
}

// No code that is worth trying again.
function closed(): ConnectError {
  return new ConnectError("the client is closed", Code.FailedPrecondition);
}
