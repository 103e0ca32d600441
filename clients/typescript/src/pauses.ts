import { SessionToolsError } from "./errors.js";
import { endOf } from "./typed.js";

const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;
// What setTimeout can wait for; with more it would not wait at all.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How pauses are made; tests have their own. */
export interface Pausing {
  /** Rejects when the signal ends. */
  sleep(pauseMs: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1, without 1. */
  random(): number;
}

/** Pauses as they are outside of tests. */
export const pausing: Pausing = { sleep, random: Math.random };

/**
 * The pauses between attempts: of random length, so that the clients of a server that comes back do not all come at
 * once, and longer with every failure.
 */
export class Pauses {
  #failures = 0;
  readonly #pausing: Pausing;

  constructor(pausing: Pausing) {
    this.#pausing = pausing;
  }

  /** Waits before the attempt that follows this failure, or rejects when the signal ends. */
  async after(failure: unknown, signal?: AbortSignal): Promise<void> {
    const least = failure instanceof SessionToolsError ? failure.retryAfterMs : 0;
    const pause = this.#pausing.random() * longest(this.#failures);
    this.#failures++;
    await this.#pausing.sleep(least + pause, signal);
  }

  /** For an attempt that brought something. */
  reset(): void {
    this.#failures = 0;
  }
}

function longest(failures: number): number {
  return Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
}

async function sleep(pauseMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) {
    throw endOf(signal);
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(awake, atMost(pauseMs));
    function awake(): void {
      signal?.removeEventListener("abort", abort);
      resolve();
    }
    function abort(this: AbortSignal): void {
      clearTimeout(timer);
      reject(endOf(this));
    }
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** A time that a timer can wait for. */
export function atMost(timeMs: number): number {
  return Math.min(timeMs, MAX_TIMER_MS);
}
