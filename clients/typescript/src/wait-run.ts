import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { CallOptions } from "@connectrpc/connect";

import { SessionToolsError } from "./errors.js";
import { EndReason } from "./gen/sessiontools/v1/run_pb.js";
import { WaitRunRequestSchema } from "./gen/sessiontools/v1/session_tools_service_pb.js";
import type { WaitRunRequest, WaitRunResponse } from "./gen/sessiontools/v1/session_tools_service_pb.js";
import { atMost, Pauses } from "./pauses.js";
import type { Pausing } from "./pauses.js";
import { Scope } from "./scope.js";
import { endOf, isTemporary } from "./typed.js";

/** How long a wait goes on at most. */
export interface WaitOptions {
  /** Ends the wait with `Code.Canceled`. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the wait with `Code.DeadlineExceeded` so long after the call. */
  readonly timeoutMs?: number | undefined;
}

type OpenRun = (request: WaitRunRequest, options: CallOptions) => AsyncIterable<WaitRunResponse>;

type Events<Result> = AsyncGenerator<WaitRunResponse, Result, undefined>;

/** Follows a run over as many streams as it takes; see Client. */
export function waitRun(
  open: OpenRun,
  request: MessageInitShape<typeof WaitRunRequestSchema>,
  options: WaitOptions,
  pausing: Pausing,
): Events<void> {
  const copy = { ...create(WaitRunRequestSchema, request) };
  return new Following(open, copy, new Pauses(pausing)).events(options, performance.now());
}

/** Why a stream stopped, properly or not, before the wait was over. */
const CUT = new SessionToolsError(Code.Unavailable, "the stream ended before the wait was over");

/** One call of waitRun. */
class Following {
  readonly #open: OpenRun;
  readonly #request: WaitRunRequest; // of the next stream
  readonly #pauses: Pauses;
  #hasBegun = false;

  constructor(open: OpenRun, request: WaitRunRequest, pauses: Pauses) {
    this.#open = open;
    this.#request = request;
    this.#pauses = pauses;
  }

  async *events({ signal, timeoutMs }: WaitOptions, calledAt: number): Events<void> {
    const deadline = timeoutMs === undefined ? undefined : calledAt + timeoutMs;
    const scope = new Scope(signal, left(deadline));
    const maxWaitEnds = endsAt(this.#request.maxWaitSeconds);
    try {
      for (;;) {
        const failure = yield* this.#stream(scope.signal, left(deadline));
        if (failure === undefined) {
          return;
        }
        if (scope.signal.aborted) {
          throw endOf(scope.signal);
        }
        if (!isTemporary(failure)) {
          throw failure;
        }
        await this.#pauses.after(failure, scope.signal);
        this.#request.maxWaitSeconds = secondsUntil(maxWaitEnds);
      }
    } finally {
      scope.end();
    }
  }

  /** Yields what one stream brings, and returns why the wait is not over with it. */
  async *#stream(signal: AbortSignal, timeoutMs: number | undefined): Events<unknown> {
    const scope = new Scope(signal);
    const options = { signal: scope.signal, ...(timeoutMs !== undefined && { timeoutMs }) };
    try {
      for await (const message of this.#open(this.#request, options)) {
        this.#request.cursor = message.cursor;
        if (isIntermediateEnd(message)) {
          return CUT;
        }
        if (this.#isNew(message)) {
          yield message;
        }
        if (message.event.case === "ended") {
          return undefined;
        }
      }
      return CUT;
    } catch (error) {
      return error;
    } finally {
      scope.end(); // Connect leaves a stream open whose loop was left
    }
  }

  #isNew({ event }: WaitRunResponse): boolean {
    if (event.case === "snapshot") {
      const isFirst = !this.#hasBegun;
      this.#hasBegun = true;
      return isFirst;
    }
    this.#pauses.reset(); // news, which a server that fails again and again has not
    return true;
  }
}

function isIntermediateEnd({ event }: WaitRunResponse): boolean {
  if (event.case !== "ended") {
    return false;
  }
  switch (event.value.reason) {
    case EndReason.RUN_TERMINAL:
    case EndReason.SETTLED:
    case EndReason.MAX_WAIT:
      return false;
    default: // the stream's age, a drain, a deadline, or what a later server may have
      return true;
  }
}

function endsAt(maxWaitSeconds: number | undefined): number | undefined {
  return maxWaitSeconds === undefined ? undefined : performance.now() + maxWaitSeconds * 1000;
}

/** What the streams before have left over. At 0 the server tells what there is and ends. */
function secondsUntil(instant: number | undefined): number | undefined {
  return instant === undefined ? undefined : Math.max(Math.round((instant - performance.now()) / 1000), 0);
}

/** The time left until a deadline; at least 1 ms, since Connect takes 0 for no deadline. */
function left(deadline: number | undefined): number | undefined {
  return deadline === undefined ? undefined : atMost(Math.max(deadline - performance.now(), 1));
}
