/** A queue between a fake server and its test: what one side puts in, the other waits for. */
export class Channel<T> {
  readonly #items: T[] = [];
  readonly #takers: ((item: T) => void)[] = [];

  get size(): number {
    return this.#items.length;
  }

  put(item: T): void {
    const taker = this.#takers.shift();
    if (taker) {
      taker(item);
    } else {
      this.#items.push(item);
    }
  }

  async take(): Promise<T> {
    const item = this.#items.shift();
    return item ?? new Promise((resolve) => this.#takers.push(resolve));
  }
}
