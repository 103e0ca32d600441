import { Code, ConnectError } from "@connectrpc/connect";

import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "#dist/gen/google/rpc/error_details_pb.js";

/** An error of a server without any detail. */
export function status(code: Code, message = "refused"): ConnectError {
  return new ConnectError(message, code);
}

/** An error that the service gives a reason for. */
export function refusal(code: Code, reason: string, message = "refused", domain = "sessiontools"): ConnectError {
  const info = { desc: ErrorInfoSchema, value: { reason, domain, metadata: { name: "value" } } };
  return new ConnectError(message, code, undefined, [info]);
}

/** Adds the wrong fields of a request to an error. */
export function withFields(error: ConnectError, field: string, description: string): ConnectError {
  error.details.push({ desc: BadRequestSchema, value: { fieldViolations: [{ field, description }] } });
  return error;
}

/** Adds a time to try again to an error. */
export function withRetry(error: ConnectError, seconds: bigint, nanos = 0): ConnectError {
  error.details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds, nanos } } });
  return error;
}
