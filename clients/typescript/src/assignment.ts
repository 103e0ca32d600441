import type { MessageInitShape } from "@bufbuild/protobuf";

import type { Client } from "./client.js";
import { hasReason } from "./errors.js";
import { ErrorReason } from "./gen/sessiontools/v1/error_reason_pb.js";
import type { RunAssignment, RunEventSchema } from "./gen/sessiontools/v1/runtime_service_pb.js";
import type { Pausing } from "./pauses.js";
import type { Scope } from "./scope.js";
import { persist } from "./taking.js";

/** Why a run's signal ended: somebody cancelled the run. */
export class RunCancelled extends Error {
  override readonly name = "RunCancelled";
}

/** Why a run's signal ended: the run is no longer this runtime's. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** An event of a run, as append takes it. */
type Event = MessageInitShape<typeof RunEventSchema>;

/** One run to execute, with all that is needed for it. */
export class Assignment {
  /** The run, its session and history, as the server gave them. */
  readonly details: RunAssignment;
  /** Calls the session tools with the authority of this run, for as long as the run goes on. */
  readonly agent: Client;

  readonly #client: Client;
  readonly #pausing: Pausing;
  readonly #scope: Scope;
  #appended: Promise<void> = Promise.resolve();
  #next: bigint | undefined = 1n; // number of the next event; undefined when only the server knows

  constructor(details: RunAssignment, client: Client, pausing: Pausing, scope: Scope) {
    this.details = details;
    this.agent = client.withToken(details.runToken);
    this.#client = client;
    this.#pausing = pausing;
    this.#scope = scope;
  }

  /** The text of the message to answer. */
  get text(): string {
    const blocks = this.details.input?.content ?? [];
    return blocks.map(({ block }) => (block.case === "text" ? block.value.text : "")).join("");
  }

  /** Ends when the run is to stop; see Execute. */
  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  /** Shows a piece of the reply to those who wait for the run. */
  delta(text: string): Promise<void> {
    return this.append({ event: { case: "delta", value: text } });
  }

  /** Stores what the run brings forth, each event once, and tries until it has an answer or the run is to stop. */
  append(...events: Event[]): Promise<void> {
    const appended = this.#appended.then(() => this.#append(events));
    this.#appended = appended.catch(() => {}); // told to its caller; the next ones have their own
    return appended;
  }

  /** Ends the signal. */
  stop(reason: RunCancelled | LeaseLost): void {
    this.#scope.end(reason);
  }

  async #append(events: Event[]): Promise<void> {
    this.#next ??= await this.#send(1n, []);
    const first = this.#next;
    this.#next = undefined;
    this.#next = await this.#send(first, events);
  }

  async #send(firstSequence: bigint, events: Event[]): Promise<bigint> {
    const request = { leaseToken: this.details.leaseToken, firstSequence, events };
    try {
      const call = () => this.#client.appendRunEvents(request, { signal: this.signal });
      const answer = await persist(this.#pausing, this.signal, call);
      if (answer.cancelRequested) {
        this.stop(new RunCancelled("the run was cancelled"));
      }
      return answer.nextSequence;
    } catch (error) {
      if (hasReason(error, ErrorReason.LEASE_LOST)) {
        this.stop(new LeaseLost("the lease of the run was lost"));
      }
      throw error;
    }
  }
}
