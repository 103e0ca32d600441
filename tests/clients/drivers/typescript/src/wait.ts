import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Client } from "@sessiontools/client";
import { WaitRunRequestSchema, WaitRunResponseSchema, type WaitRunResponse } from "@sessiontools/client/v1";

import { done, failure, within, write, type Command } from "./lines.js";

/** A wait that is taken from piece by piece. */
export class Wait {
  readonly #controller = new AbortController();
  readonly #events: AsyncGenerator<WaitRunResponse, void, undefined>;
  #taken: Promise<void> = Promise.resolve();

  constructor(client: Client, command: Command) {
    const request = fromBinary(WaitRunRequestSchema, Buffer.from(command.request, "base64"));
    this.#events = client.waitRun(request, { signal: this.#controller.signal, ...within(command) });
  }

  cancel(): void {
    this.#controller.abort();
  }

  /** Takes as many messages as the command asks for, after those that earlier commands ask for. */
  next(command: Command): Promise<void> {
    this.#taken = this.#taken.then(() => this.#next(command));
    return this.#taken;
  }

  async #next(command: Command): Promise<void> {
    try {
      for (let left = command.count ?? 1; left > 0; left--) {
        const { done: isOver, value } = await this.#events.next();
        if (isOver) {
          return write(command, { end: true });
        }
        write(command, { event: Buffer.from(toBinary(WaitRunResponseSchema, value)).toString("base64") });
      }
      write(command, done);
    } catch (error) {
      write(command, failure(error));
    }
  }
}
