import { create } from "@bufbuild/protobuf";
import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";

/**
 * Gives a request that has an empty request_id a copy with a fresh one, so that the call may be repeated. The caller's
 * own stays as it is: used for a second call, it is to be a second request.
 */
export function withRequestId<Desc extends DescMessage>(
  schema: Desc,
  request: MessageInitShape<Desc>,
): MessageInitShape<Desc> {
  const given = create(schema, request) as { requestId?: string };
  const isEmpty = schema.field.requestId !== undefined && given.requestId === "";
  return (isEmpty ? { ...given, requestId: crypto.randomUUID() } : given) as MessageInitShape<Desc>;
}
