import { Code, SessionToolsError } from "@sessiontools/client";

/** One line of input; README.md of tests/clients tells which command has which fields. */
export interface Command {
  readonly id: unknown;
  readonly op: string;
  readonly target: string;
  readonly method: string;
  readonly request: string;
  readonly deadline_seconds?: number;
  readonly token?: string;
  readonly acting_session?: string;
  readonly wait: unknown;
  readonly count?: number;
}

/** The deadline of a command, as options of a call. */
export function within({ deadline_seconds }: Command): { timeoutMs?: number } {
  return deadline_seconds === undefined ? {} : { timeoutMs: deadline_seconds * 1000 };
}

/** The answer of a command that tells nothing. */
export const done = { done: true };

/** Writes a line of output. */
export function write(to: Command, answer: object): void {
  process.stdout.write(`${JSON.stringify({ id: to.id, ...answer })}\n`);
}

/** The client's error, field by field. Any other error is a fault of the driver. */
export function failure(error: unknown): object {
  if (!(error instanceof SessionToolsError)) {
    throw error;
  }
  return {
    error: {
      code: nameOf(error.code),
      reason: error.reason,
      message: error.message,
      metadata: error.metadata,
      fields: error.fields.map((each) => each.field),
      retry_after_seconds: error.retryAfterMs / 1000,
    },
  };
}

/** The name that gRPC has for a code, such as NOT_FOUND. */
function nameOf(code: Code): string {
  if (code === Code.Canceled) {
    return "CANCELLED";
  }
  return Code[code].replace(/(?<!^)[A-Z]/g, "_$&").toUpperCase();
}
