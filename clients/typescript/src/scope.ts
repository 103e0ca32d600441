import { atMost } from "./pauses.js";

/** A signal that ends with another one, after a time, or by `end`. Whoever makes it ends it, which lets go of both. */
export class Scope {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer?: AbortSignal, timeoutMs?: number) {
    this.#outer = outer;
    if (outer?.aborted) {
      this.#controller.abort(outer.reason);
      return;
    }
    outer?.addEventListener("abort", this.#follow);
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(this.#expire, atMost(timeoutMs));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the signal, with this reason unless it has already ended. */
  end(reason?: unknown): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#follow);
    this.#controller.abort(reason);
  }

  readonly #follow = (): void => this.end(this.#outer?.reason);

  readonly #expire = (): void => this.end(new DOMException("the deadline has passed", "TimeoutError"));
}
