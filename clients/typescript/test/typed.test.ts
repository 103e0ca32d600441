import assert from "node:assert/strict";
import { test } from "node:test";

import { Code, SessionToolsError } from "@sessiontools/client";
import { ConnectError } from "@connectrpc/connect";

import { isTemporary, typed } from "#dist/typed.js";

/** An error as Connect makes it from something that was thrown. */
function thrown(code: Code, message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, code, undefined, undefined, cause);
}

/** An error as Connect makes it from a status that came from the other side. */
function answered(code: Code): ConnectError {
  return new ConnectError("refused", code, { "grpc-status": String(code) });
}

const cuts = {
  "the server's port is closed": thrown(Code.Unavailable, "connect ECONNREFUSED"),
  "the connection is reset": thrown(Code.Aborted, "read ECONNRESET"),
  "the connection is closed": thrown(Code.Canceled, "http/2 stream closed with error code CANCEL (0x8)"),
  "the connection is ended with an error": thrown(Code.Internal, "Session closed with error code 2"),
  "the stream ends without a status": thrown(Code.Internal, "protocol error: missing status"),
  "the stream ends within a message": thrown(Code.InvalidArgument, "protocol error: incomplete envelope"),
  "fetch fails": thrown(Code.Unknown, "fetch failed", new TypeError("fetch failed")),
  "the body of fetch ends without a status": thrown(Code.Unknown, "missing trailer", "missing trailer"),
};

for (const [name, error] of Object.entries(cuts)) {
  test(`the server is unavailable when ${name}`, () => {
    const failure = typed(error);

    assert.ok(failure instanceof SessionToolsError && isTemporary(failure));
    assert.equal(failure.code, Code.Unavailable);
    assert.equal(failure.message, error.rawMessage);
    assert.equal(failure.cause, error);
  });
}

const others = {
  "a request that cannot be encoded": thrown(Code.Internal, "serialize binary: invalid uint32"),
  "an answer that cannot be decoded": thrown(Code.Internal, "parse binary: premature EOF"),
  "a message that is too large": thrown(Code.ResourceExhausted, "message size 9 is larger than configured 8"),
  "an answer that is not gRPC": thrown(Code.Unknown, "unsupported content type text/html"),
  "an answer that is a web page": thrown(Code.Unimplemented, "HTTP 404"),
  "a status ABORTED": answered(Code.Aborted),
  "a status INVALID_ARGUMENT": answered(Code.InvalidArgument),
  "a status UNKNOWN": answered(Code.Unknown),
};

for (const [name, error] of Object.entries(others)) {
  test(`${name} stays what it is`, () => {
    const failure = typed(error);

    assert.ok(failure instanceof SessionToolsError && !isTemporary(failure));
    assert.equal(failure.code, error.code);
  });
}

test("a status that came is told also to a caller whose signal has ended", () => {
  const failure = typed(answered(Code.NotFound), AbortSignal.abort());

  assert.equal((failure as SessionToolsError).code, Code.NotFound);
});

test("what is not Connect's is a fault of the program, and stays what it is", () => {
  const fault = new TypeError("a header that cannot be sent");

  assert.equal(typed(fault), fault);
  assert.equal(isTemporary(fault), false);
});
