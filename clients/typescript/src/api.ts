// What the entry points for Node and for browsers have in common.
export { Code } from "@connectrpc/connect";
export { LeaseLost, RunCancelled } from "./assignment.js";
export type { Assignment } from "./assignment.js";
export type { Credentials } from "./calls.js";
export { clientOver } from "./client.js";
export type { Client } from "./client.js";
export { hasReason, SessionToolsError } from "./errors.js";
export type { FieldProblem } from "./errors.js";
export { retries } from "./retries.js";
export { SendFailure } from "./serve-deliveries.js";
export type { DeliveryOptions, Send } from "./serve-deliveries.js";
export { RunFailure } from "./serve-runs.js";
export type { Execute, RuntimeOptions } from "./serve-runs.js";
export type { Log } from "./taking.js";
export type { WaitOptions } from "./wait-run.js";
