import { Code } from "@connectrpc/connect";

import { ErrorReason } from "./gen/sessiontools/v1/error_reason_pb.js";

/** One wrong field of a request. */
export interface FieldProblem {
  /** The name of the field, with a path when it is nested. */
  readonly field: string;
  /** What is wrong with it. */
  readonly problem: string;
}

/** What an error may tell beside its code and message. */
export type ErrorDetails = Partial<
  Pick<SessionToolsError, "reason" | "metadata" | "fields" | "retryAfterMs"> & { cause: unknown }
>;

/** Why a call failed. Every call of a client rejects with this type, whether the server refused or was not reached. */
export class SessionToolsError extends Error {
  override readonly name = "SessionToolsError";
  /** The status code of gRPC. The caller's own signal is `Code.Canceled`, its deadline `Code.DeadlineExceeded`. */
  readonly code: Code;
  /**
   * The name of an ErrorReason, such as `LEASE_LOST`; see {@link hasReason}. Empty when the error is not the service's
   * own, as when it cannot be reached.
   */
  readonly reason: string;
  /** Names what was refused; the comments of ErrorReason tell the names. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The wrong fields of the request. */
  readonly fields: readonly FieldProblem[];
  /** When to try again at the earliest, in milliseconds. 0 when the server did not say. */
  readonly retryAfterMs: number;

  /** `message` is a sentence for people. */
  constructor(code: Code, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.reason = details.reason ?? "";
    this.metadata = details.metadata ?? {};
    this.fields = details.fields ?? [];
    this.retryAfterMs = details.retryAfterMs ?? 0;
  }

  /** Tells the reason, or the code when there is none, and the message. */
  override toString(): string {
    return `${this.reason || Code[this.code]}: ${this.message}`;
  }
}

/** Whether an error is a refusal for this reason. */
export function hasReason(error: unknown, reason: ErrorReason): boolean {
  return error instanceof SessionToolsError && error.reason === ErrorReason[reason];
}
