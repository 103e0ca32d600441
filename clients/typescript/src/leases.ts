import { LeaseLost, RunCancelled } from "./assignment.js";
import type { Assignment } from "./assignment.js";
import type { Client } from "./client.js";
import type { LeaseStatus } from "./gen/sessiontools/v1/runtime_service_pb.js";
import type { Pausing } from "./pauses.js";
import { unlessEnded } from "./taking.js";
import type { Log } from "./taking.js";
import { isTemporary } from "./typed.js";

// The server takes so many leases in one call.
const MAX_LEASES = 1000;

/** The leases that a runtime holds, renewed with one call for all of them. */
export class Leases {
  readonly #client: Client;
  readonly #pausing: Pausing;
  readonly #log: Log;
  readonly #held = new Map<string, Assignment>();

  constructor(client: Client, pausing: Pausing, log: Log) {
    this.#client = client;
    this.#pausing = pausing;
    this.#log = log;
  }

  hold(run: Assignment): void {
    this.#held.set(run.details.leaseToken, run);
  }

  drop(run: Assignment): void {
    this.#held.delete(run.details.leaseToken);
  }

  /** Renews the leases until the signal ends, or rejects when the server refuses the runtime. */
  async beat(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#pausing.sleep(this.#intervalMs(), signal).catch(unlessEnded(signal));
      if (signal.aborted) {
        return;
      }
      await this.#renew(signal).catch((error: unknown) => {
        if (!signal.aborted && !isTemporary(error)) {
          throw error;
        }
      });
    }
  }

  /** A third of a lease, so that two heartbeats may be lost. Without a lease, it is short enough for the next. */
  #intervalMs(): number {
    const [any] = this.#held.values(); // all of one server last equally long
    return any === undefined ? 1000 : (any.details.leaseSeconds * 1000) / 3;
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const options = { signal, timeoutMs: this.#intervalMs() }; // a connection that hangs must not cost the leases
    const tokens = [...this.#held.keys()];
    for (let from = 0; from < tokens.length; from += MAX_LEASES) {
      const answer = await this.#client.heartbeatRuns({ leases: tokens.slice(from, from + MAX_LEASES) }, options);
      answer.leases.forEach((status) => this.#obey(status));
    }
  }

  #obey(status: LeaseStatus): void {
    const run = this.#held.get(status.leaseToken);
    if (run === undefined) {
      return; // ended while the call was under way
    }
    if (status.lost) {
      this.#log.warn("the lease of a run was lost", { runId: run.details.run?.id });
      run.stop(new LeaseLost("the lease of the run was lost"));
    } else if (status.cancelRequested) {
      run.stop(new RunCancelled("the run was cancelled"));
    }
  }
}
