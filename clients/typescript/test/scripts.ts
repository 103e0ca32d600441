import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectError, ServiceImpl } from "@connectrpc/connect";
import { EndReason } from "@sessiontools/client/v1";
import type { SessionToolsService, WaitRunRequest, WaitRunResponseSchema } from "@sessiontools/client/v1";

/** What a stream sends. */
export type Reply = MessageInitShape<typeof WaitRunResponseSchema>;

/** One stream; the signal ends with it. */
export type Script = (signal: AbortSignal) => AsyncGenerator<Reply>;

/** A server that plays one script for each stream that is opened, the last one for ever, and notes the requests. */
export function plays(scripts: Script[], requests: WaitRunRequest[]): Partial<ServiceImpl<typeof SessionToolsService>> {
  return {
    waitRun(request, context) {
      requests.push(request);
      const [next, ...later] = scripts;
      scripts = later.length > 0 ? later : scripts;
      return next!(context.signal);
    },
  };
}

/** A stream with these messages, which ends in order, with an error, or not at all. */
export function sends(messages: Reply[], end?: ConnectError | "hang"): Script {
  return async function* (signal) {
    yield* messages;
    if (end === "hang") {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    } else if (end !== undefined) {
      throw end;
    }
  };
}

/** A stream that tells the end of the wait. */
export function finishes(cursor: string): Script {
  return sends([snapshot(cursor), ended(cursor, EndReason.RUN_TERMINAL)]);
}

export function snapshot(cursor: string): Reply {
  return { cursor, event: { case: "snapshot", value: {} } };
}

export function delta(cursor: string): Reply {
  return { cursor, event: { case: "outputDelta", value: { text: cursor } } };
}

export function heartbeat(cursor: string): Reply {
  return { cursor, event: { case: "heartbeat", value: {} } };
}

export function ended(cursor: string, reason: EndReason): Reply {
  return { cursor, event: { case: "ended", value: { reason } } };
}
