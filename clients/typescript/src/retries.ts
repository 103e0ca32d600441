import { Code } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";

import { SessionToolsError } from "./errors.js";
import { Pauses, pausing } from "./pauses.js";
import type { Pausing } from "./pauses.js";
import { typed } from "./typed.js";

const MAX_ATTEMPTS = 5;

/**
 * An interceptor that repeats unary calls which found the server unavailable, as gRPC's service config does elsewhere.
 * Every method may be repeated: writes carry a request_id or a lease token. A stream is never repeated by this; waitRun
 * resumes it. `dial` has it; it is here for a transport of your own.
 */
export function retries(): Interceptor {
  return retriesWith(pausing);
}

/** The same with other pauses. */
export function retriesWith(pausing: Pausing): Interceptor {
  return (next) => (request) => {
    return request.stream ? next(request) : repeated(() => next(request), request.signal, new Pauses(pausing));
  };
}

async function repeated<T>(call: () => Promise<T>, signal: AbortSignal, pauses: Pauses): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const failure = typed(error, signal);
      if (attempt === MAX_ATTEMPTS || !isUnavailable(failure)) {
        throw error;
      }
      await pauses.after(failure, signal);
    }
  }
}

function isUnavailable(failure: unknown): boolean {
  return failure instanceof SessionToolsError && failure.code === Code.Unavailable;
}
