// What Connect's Http2SessionManager leaves open: each of these would end the program, or leave a call without an end.
import type { ClientHttp2Stream, Http2Session } from "node:http2";

import { Code, ConnectError } from "@connectrpc/connect";

/** Guards a connection that was made. */
export function guardSession(session: Http2Session): void {
  // Node may tell of an error once more after Connect has stopped to listen; nobody listening ends the program.
  session.on("error", () => {});
  // Connect probes a connection before it is used again, and waits for an answer or an error; a close is neither.
  session.once("close", () => session.emit("error", unavailable("the connection was closed")));
  // Connect's keepalive does not know of every end of a connection (connect-es #1795); Node throws at what comes after.
  const ping = session.ping.bind(session) as (...args: unknown[]) => boolean;
  session.ping = (...args: unknown[]) => !session.destroyed && ping(...args);
}

/** Guards a call: Connect waits for ever for the answer of one that was closed without an error and without any. */
export function guardStream(stream: ClientHttp2Stream): void {
  let isAnswered = false;
  stream.once("response", () => (isAnswered = true));
  stream.once("close", () => isAnswered || stream.emit("error", unavailable("the call was closed without an answer")));
}

function unavailable(message: string): ConnectError {
  return new ConnectError(message, Code.Unavailable);
}
