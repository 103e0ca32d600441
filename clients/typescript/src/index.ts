/**
 * The TypeScript client of Session Tools for Node: list, read, send, wait and spawn across the sessions of AI agents,
 * serve as a runtime, and take deliveries. `@sessiontools/client/v1` holds the generated contract, and
 * `@sessiontools/client/web` is for browsers.
 *
 * ```ts
 * const client = dial("localhost:50551", { plaintext: true });
 * const answer = await client.sessionsSend({ sessionKey: "main", message: "hello" });
 * ```
 *
 * @module
 */
export * from "./api.js";
export { dial } from "./dial.js";
export type { DialOptions } from "./dial.js";
