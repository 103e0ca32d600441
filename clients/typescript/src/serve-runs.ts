import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";

import { Assignment, LeaseLost, RunCancelled } from "./assignment.js";
import type { Client } from "./client.js";
import { hasReason, SessionToolsError } from "./errors.js";
import { ErrorReason } from "./gen/sessiontools/v1/error_reason_pb.js";
import type { CompleteRunRequestSchema, RunAssignment } from "./gen/sessiontools/v1/runtime_service_pb.js";
import { Leases } from "./leases.js";
import type { Pausing } from "./pauses.js";
import { Scope } from "./scope.js";
import { persist, POLL_SECONDS, POLL_TIMEOUT_MS, take } from "./taking.js";
import type { Log } from "./taking.js";
import { isTemporary } from "./typed.js";

/**
 * Takes one turn of an agent and returns its reply. The signal ends when the run is to stop; its reason is a
 * RunCancelled or a LeaseLost, and anything else means that the runtime shuts down. Whatever it throws then, the run is
 * ended as cancelled, left alone, or given back. Any other error fails the run: a {@link RunFailure} as it says, else
 * with the reason `RUNTIME_ERROR`.
 */
export type Execute = (run: Assignment, signal: AbortSignal) => Promise<string> | string;

/** Which runs a runtime takes, and until when. */
export interface RuntimeOptions {
  /** Names the runtime, for people. */
  readonly id: string;
  /** The agents that it executes. Default: every agent with an external runtime. */
  readonly agentIds?: readonly string[] | undefined;
  /** How many runs it executes at the same time. Default: 1. */
  readonly maxRuns?: number | undefined;
  /** Ends the runtime. */
  readonly signal?: AbortSignal | undefined;
  /** Is told of leases that were lost. Default: console. */
  readonly log?: Log | undefined;
}

/** An error that tells how a run failed. */
export class RunFailure extends Error {
  override readonly name = "RunFailure";
  /** A word for programs. */
  readonly reason: string;
  /** The same message may succeed if sent again. */
  readonly retryable: boolean;

  /** `message` is a sentence for people. */
  constructor(reason: string, message: string, { retryable = false, cause = undefined as unknown } = {}) {
    super(message, { cause });
    this.reason = reason;
    this.retryable = retryable;
  }
}

/** A runtime; see Client. */
export async function serveRuns(
  client: Client,
  pausing: Pausing,
  options: RuntimeOptions,
  execute: Execute,
): Promise<void> {
  await new Runtime(client, pausing, options, execute).serve();
}

type Outcome = NonNullable<MessageInitShape<typeof CompleteRunRequestSchema>["outcome"]>;

/** The last call of a run. */
type Ending = (signal: AbortSignal) => Promise<unknown>;

class Runtime {
  readonly #client: Client;
  readonly #pausing: Pausing;
  readonly #options: RuntimeOptions;
  readonly #execute: Execute;
  readonly #log: Log;
  readonly #leases: Leases;

  constructor(client: Client, pausing: Pausing, options: RuntimeOptions, execute: Execute) {
    this.#client = client;
    this.#pausing = pausing;
    this.#options = options;
    this.#execute = execute;
    this.#log = options.log ?? console;
    this.#leases = new Leases(client, pausing, this.#log);
  }

  async serve(): Promise<void> {
    const scope = new Scope(this.#options.signal);
    // Leases are renewed until the last run is done, also when that is after the end of the signal.
    const beating = new Scope();
    const beats = this.#leases.beat(beating.signal).catch((error: unknown) => scope.end(error));
    try {
      await this.#take(scope.signal);
    } finally {
      beating.end();
      await beats;
      scope.end();
    }
    if (!this.#options.signal?.aborted) {
      throw scope.signal.reason;
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    await take({
      places: this.#options.maxRuns ?? 1,
      ask: (maxRuns) => this.#acquire(maxRuns),
      work: (taken, ending) => this.#run(taken, ending),
      pausing: this.#pausing,
      signal,
    });
  }

  async #acquire(maxRuns: number): Promise<RunAssignment[]> {
    const { id, agentIds = [] } = this.#options;
    const request = { runtimeId: id, agentIds: [...agentIds], maxRuns, waitSeconds: POLL_SECONDS };
    return (await this.#client.acquireRuns(request, { timeoutMs: POLL_TIMEOUT_MS })).runs;
  }

  async #run(taken: RunAssignment, shutdown: AbortSignal): Promise<void> {
    const scope = new Scope(shutdown);
    const run = new Assignment(taken, this.#client, this.#pausing, scope);
    this.#leases.hold(run);
    try {
      const ending = scope.signal.aborted // taken by the last poll before the end
        ? this.#release(run)
        : await this.#ending(run);
      if (!(scope.signal.reason instanceof LeaseLost)) {
        await this.#tell(run, ending);
      }
    } finally {
      this.#leases.drop(run);
      scope.end();
    }
  }

  /** Executes the run, and gives the call that ends it. */
  async #ending(run: Assignment): Promise<Ending> {
    try {
      return this.#complete(run, { case: "reply", value: await this.#execute(run, run.signal) });
    } catch (error) {
      if (run.signal.reason instanceof RunCancelled) {
        return this.#complete(run, { case: "cancelled", value: {} });
      }
      return run.signal.aborted ? this.#release(run) : this.#complete(run, failureOf(error));
    }
  }

  #complete(run: Assignment, outcome: Outcome): Ending {
    return (signal) => this.#client.completeRun({ leaseToken: run.details.leaseToken, outcome }, { signal });
  }

  #release(run: Assignment): Ending {
    const request = { leaseToken: run.details.leaseToken, reason: "shutdown" };
    return (signal) => this.#client.releaseRun(request, { signal });
  }

  /** Makes the last call of a run until it has an answer, for as long as a lease lasts. */
  async #tell(run: Assignment, ending: Ending): Promise<void> {
    const scope = new Scope(undefined, run.details.leaseSeconds * 1000);
    const tell = (call: Ending) => persist(this.#pausing, scope.signal, () => call(scope.signal));
    try {
      await tell(ending).catch((error: unknown) => tell(this.#refused(run, error)));
    } catch (error) {
      if (!hasReason(error, ErrorReason.LEASE_LOST) && !isTemporary(error)) {
        throw error;
      }
      this.#log.warn("the end of a run was not stored", { runId: run.details.run?.id, error });
    } finally {
      scope.end();
    }
  }

  /** Fails a run whose outcome is refused, such as a reply that is too large; rethrows any other error. */
  #refused(run: Assignment, error: unknown): Ending {
    if (error instanceof SessionToolsError && error.code === Code.InvalidArgument) {
      return this.#complete(run, failureOf(new RunFailure(error.reason || "RUNTIME_ERROR", error.message)));
    }
    throw error;
  }
}

function failureOf(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  const { reason, retryable } = error instanceof RunFailure ? error : { reason: "RUNTIME_ERROR", retryable: false };
  return { case: "failure", value: { reason, message, retryable } };
}
