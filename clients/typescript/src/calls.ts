import type { Transport } from "@connectrpc/connect";

import { withRequestId } from "./request-id.js";
import { typed } from "./typed.js";

/** Who calls. */
export interface Credentials {
  /** A bearer token, sent with every call. Over plaintext it can be read on the way. */
  readonly token?: string | undefined;
  /** The session that every call acts as. Owners and gateways may do so. */
  readonly actingSession?: string | undefined;
}

/**
 * A transport as the generated code sees it: with credentials, request ids and typed errors. It is not a set of
 * interceptors, since clients with different credentials share one transport.
 */
export function callsOver(transport: Transport, who: Credentials): Transport {
  const credentials = headersOf(who);
  return {
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      const headers = merged(credentials, header);
      const request = withRequestId(method.input, input);
      try {
        return await transport.unary(method, signal, whole(timeoutMs), headers, request, contextValues);
      } catch (error) {
        throw typed(error, signal);
      }
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      const headers = merged(credentials, header);
      try {
        const response = await transport.stream(method, signal, whole(timeoutMs), headers, input, contextValues);
        return { ...response, message: typedErrors(response.message, signal) };
      } catch (error) {
        throw typed(error, signal);
      }
    },
  };
}

async function* typedErrors<T>(messages: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw typed(error, signal);
  }
}

function headersOf(who: Credentials): Headers {
  const headers = new Headers();
  if (who.token) {
    headers.set("authorization", `Bearer ${who.token}`);
  }
  if (who.actingSession) {
    headers.set("acting-session", who.actingSession);
  }
  return headers;
}

function merged(credentials: Headers, more: HeadersInit | undefined): Headers {
  const headers = new Headers(credentials);
  new Headers(more).forEach((value, name) => headers.set(name, value));
  return headers;
}

// Connect would send a fraction of a millisecond as it is, which a server does not understand.
function whole(timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined ? undefined : Math.ceil(timeoutMs);
}
