import type { Duration } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";

import { SessionToolsError } from "./errors.js";
import type { FieldProblem } from "./errors.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";

const ERROR_DOMAIN = "sessiontools";

/**
 * An error of Connect as SessionToolsError; the signal is the caller's. What is not Connect's is a fault of the program,
 * such as a header that cannot be sent, and stays what it is.
 */
export function typed(error: unknown, signal?: AbortSignal): unknown {
  if (!(error instanceof ConnectError)) {
    return error;
  }
  if (signal?.aborted && !isAnswer(error)) {
    return endOf(signal);
  }
  const info = error.findDetails(ErrorInfoSchema).find((each) => each.domain === ERROR_DOMAIN);
  return new SessionToolsError(isCut(error) ? Code.Unavailable : error.code, error.rawMessage, {
    reason: info?.reason.replace(/^ERROR_REASON_/, "") ?? "",
    metadata: info?.metadata ?? {},
    fields: fieldsOf(error),
    retryAfterMs: milliseconds(error.findDetails(RetryInfoSchema)[0]?.retryDelay),
    cause: error,
  });
}

/** The error of a call whose signal has ended. */
export function endOf(signal: AbortSignal): SessionToolsError {
  const cause: unknown = signal.reason;
  const isDeadline = cause instanceof Error && cause.name === "TimeoutError"; // as AbortSignal.timeout() has it
  return isDeadline
    ? new SessionToolsError(Code.DeadlineExceeded, "the caller's deadline has passed", { cause })
    : new SessionToolsError(Code.Canceled, "the caller cancelled the call", { cause });
}

/**
 * Whether the same call may succeed in a while. The caller's own deadline and cancellation look like those of a server
 * that went away; whoever asks has looked at its signal before.
 */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof SessionToolsError)) {
    return false;
  }
  switch (error.code) {
    case Code.Unavailable:
    case Code.Canceled:
    case Code.DeadlineExceeded:
      return true;
    case Code.ResourceExhausted:
      return error.retryAfterMs > 0;
    case Code.Internal: // told by something on the way; the server's own faults have a reason
      return error.reason === "" && error.cause instanceof ConnectError && isAnswer(error.cause);
    default:
      return false;
  }
}

/** Whether an error is a status that came from the other side. */
function isAnswer(error: ConnectError): boolean {
  return error.metadata.has("grpc-status");
}

/**
 * Whether an error is a cut connection, or a stream that was reset. gRPC calls that UNAVAILABLE; Connect has a code for
 * each way in which Node and fetch notice it.
 */
function isCut(error: ConnectError): boolean {
  if (isAnswer(error)) {
    return false;
  }
  switch (error.code) {
    case Code.Aborted:
    case Code.Canceled: // by nobody here; `typed` has looked at the signal
      return true;
    case Code.Internal: // but for a message that Connect cannot encode or decode
      return !/^(serialize|parse) binary: /.test(error.rawMessage);
    case Code.InvalidArgument: // half a message
      return error.rawMessage.startsWith("protocol error: ");
    case Code.Unknown: // thrown by fetch, and by Connect when the body that it reads stops
      return error.cause instanceof TypeError || typeof error.cause === "string";
    default:
      return false;
  }
}

function fieldsOf(error: ConnectError): FieldProblem[] {
  const violations = error.findDetails(BadRequestSchema).flatMap((each) => each.fieldViolations);
  return violations.map((each) => ({ field: each.field, problem: each.description }));
}

function milliseconds(duration: Duration | undefined): number {
  return duration ? Number(duration.seconds) * 1000 + duration.nanos / 1e6 : 0;
}
