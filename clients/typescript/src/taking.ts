import { Pauses } from "./pauses.js";
import type { Pausing } from "./pauses.js";
import { Scope } from "./scope.js";
import { isTemporary } from "./typed.js";

/** Is told of what was lost. `console` is one. */
export type Log = Pick<Console, "warn">;

/**
 * A poll is short and is never given up, since what the server hands out to a caller that has left stays taken until its
 * lease ends. An orderly end waits for at most one poll.
 */
export const POLL_SECONDS = 5;
/** When a poll has no answer any more. */
export const POLL_TIMEOUT_MS = (POLL_SECONDS + 10) * 1000;

/** How to take and do work. */
export interface Taking<T> {
  readonly places: number;
  /** A long poll of POLL_SECONDS. */
  readonly ask: (atMost: number) => Promise<T[]>;
  /** Rejects only when it makes no sense to go on with other work. */
  readonly work: (item: T, signal: AbortSignal) => Promise<void>;
  readonly pausing: Pausing;
  readonly signal: AbortSignal | undefined;
}

/**
 * The loop of whoever takes work from the server: ask for as much as there are free places, work on it, ask again. It
 * resolves when the signal has ended and all work is done, and rejects when it cannot go on.
 */
export async function take<T>(taking: Taking<T>): Promise<void> {
  const scope = new Scope(taking.signal);
  const working = new Set<Promise<void>>();
  const pauses = new Pauses(taking.pausing);
  while (!scope.signal.aborted) {
    try {
      for (const item of await taking.ask(taking.places - working.size)) {
        start(taking, item, working, scope);
      }
      pauses.reset();
    } catch (error) {
      await goOn(error, pauses, scope);
    }
    await aPlace(working, taking.places, scope.signal);
  }
  await Promise.all(working);
  const reason: unknown = scope.signal.reason;
  scope.end();
  if (!taking.signal?.aborted) {
    throw reason;
  }
}

function start<T>(taking: Taking<T>, item: T, working: Set<Promise<void>>, scope: Scope): void {
  const work = taking
    .work(item, scope.signal)
    .catch((error: unknown) => scope.end(error))
    .finally(() => working.delete(work));
  working.add(work);
}

/** Waits before the next poll when this one failed for a while only; otherwise there is none. */
async function goOn(failure: unknown, pauses: Pauses, scope: Scope): Promise<void> {
  if (!isTemporary(failure)) {
    scope.end(failure);
    return;
  }
  await pauses.after(failure, scope.signal).catch(unlessEnded(scope.signal));
}

/** Waits until there is a free place, or the signal ends. */
async function aPlace(working: Set<Promise<void>>, places: number, signal: AbortSignal): Promise<void> {
  if (working.size < places || signal.aborted) {
    return;
  }
  let ended = (): void => {};
  const end = new Promise<void>((resolve) => (ended = resolve));
  signal.addEventListener("abort", ended);
  await Promise.race([...working, end]);
  signal.removeEventListener("abort", ended);
}

/** Takes the error of a pause that its signal has ended for no error. */
export function unlessEnded(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) {
      throw error;
    }
  };
}

/** Repeats a call until it has an answer, or the signal ends. */
export async function persist<T>(pausing: Pausing, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  const pauses = new Pauses(pausing);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isTemporary(error) || signal.aborted) {
        throw error;
      }
      await pauses.after(error, signal);
    }
  }
}
