import type { MessageInitShape } from "@bufbuild/protobuf";

import type { Client } from "./client.js";
import { hasReason } from "./errors.js";
import type { Delivery } from "./gen/sessiontools/v1/delivery_pb.js";
import { ErrorReason } from "./gen/sessiontools/v1/error_reason_pb.js";
import type { AckDeliveryRequestSchema, NackDeliveryRequestSchema } from "./gen/sessiontools/v1/gateway_service_pb.js";
import type { Pausing } from "./pauses.js";
import { Scope } from "./scope.js";
import { persist, POLL_SECONDS, POLL_TIMEOUT_MS, take } from "./taking.js";
import type { Log } from "./taking.js";
import { isTemporary } from "./typed.js";

// An outcome that cannot be told for so long is told too late: the lease has ended.
const TELL_TIMEOUT_MS = 30_000;
const MAX_OUTCOME_CHARACTERS = 1024;

/**
 * Sends one text to the outside and returns the provider's receipt, if there is one. The delivery's id stays the same
 * however often it is offered; a provider that takes an idempotency key gets it. The text must be sent before the
 * delivery's leaseExpires. A send is not cancelled when the gateway ends, since half a send is neither a success nor a
 * failure. An error offers the delivery again later; a {@link SendFailure} may say otherwise.
 */
export type Send = (delivery: Delivery) => Promise<string | void> | string | void;

/** Which deliveries a gateway takes, and until when. */
export interface DeliveryOptions {
  /** The channels that it serves. Default: all. */
  readonly channels?: readonly string[] | undefined;
  /** How many it sends at the same time. Default: 10. */
  readonly maxDeliveries?: number | undefined;
  /** Ends the gateway. */
  readonly signal?: AbortSignal | undefined;
  /** Is told of outcomes that could not be stored. Default: console. */
  readonly log?: Log | undefined;
}

/** An error that tells when to try again. */
export class SendFailure extends Error {
  override readonly name = "SendFailure";
  /** No later attempt can succeed. */
  readonly permanent: boolean;
  /** When to offer the delivery again at the earliest. 0 means the usual delay. */
  readonly retryAfterMs: number;

  /** `reason` tells why, for people. */
  constructor(reason: string, { permanent = false, retryAfterMs = 0, cause = undefined as unknown } = {}) {
    super(reason, { cause });
    this.permanent = permanent;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The sending half of a gateway; see Client. */
export async function serveDeliveries(
  client: Client,
  pausing: Pausing,
  options: DeliveryOptions,
  send: Send,
): Promise<void> {
  await take({
    places: options.maxDeliveries ?? 10,
    ask: (maxDeliveries) => acquire(client, options, maxDeliveries),
    work: (delivery) => deliver(client, pausing, options, delivery, send),
    pausing,
    signal: options.signal,
  });
}

async function acquire(client: Client, options: DeliveryOptions, maxDeliveries: number): Promise<Delivery[]> {
  const request = { channels: [...(options.channels ?? [])], maxDeliveries, waitSeconds: POLL_SECONDS };
  return (await client.acquireDeliveries(request, { timeoutMs: POLL_TIMEOUT_MS })).deliveries;
}

async function deliver(
  client: Client,
  pausing: Pausing,
  options: DeliveryOptions,
  delivery: Delivery,
  send: Send,
): Promise<void> {
  const tell = await outcomeOf(client, delivery, send);
  const scope = new Scope(undefined, TELL_TIMEOUT_MS);
  try {
    await persist(pausing, scope.signal, () => tell(scope.signal));
  } catch (error) {
    if (!isTemporary(error) && !isGone(error)) {
      throw error;
    }
    // It is offered again, as possibly delivered.
    const log = options.log ?? console;
    log.warn("the outcome of a delivery was not stored", { deliveryId: delivery.id, error });
  } finally {
    scope.end();
  }
}

/** Sends, and gives the call that tells what became of it. */
async function outcomeOf(
  client: Client,
  delivery: Delivery,
  send: Send,
): Promise<(signal: AbortSignal) => Promise<unknown>> {
  try {
    const receipt = await send(delivery);
    const ack = ackOf(delivery, receipt ?? "");
    return (signal) => client.ackDelivery(ack, { signal });
  } catch (error) {
    const nack = nackOf(delivery, error);
    return (signal) => client.nackDelivery(nack, { signal });
  }
}

function ackOf(delivery: Delivery, receipt: string): MessageInitShape<typeof AckDeliveryRequestSchema> {
  return { deliveryId: delivery.id, leaseToken: delivery.leaseToken, receipt: cut(receipt) };
}

function nackOf(delivery: Delivery, error: unknown): MessageInitShape<typeof NackDeliveryRequestSchema> {
  const reason = cut(error instanceof Error ? error.message : String(error));
  const nack = { deliveryId: delivery.id, leaseToken: delivery.leaseToken, reason };
  if (!(error instanceof SendFailure)) {
    return nack;
  }
  const later = error.retryAfterMs > 0 && { retryAfterSeconds: Math.ceil(error.retryAfterMs / 1000) };
  return { ...nack, permanent: error.permanent, ...later };
}

/** Keeps a text within what the server stores, since an outcome is not to be refused for its length. */
function cut(text: string): string {
  return [...text].slice(0, MAX_OUTCOME_CHARACTERS).join("");
}

function isGone(error: unknown): boolean {
  return hasReason(error, ErrorReason.LEASE_LOST) || hasReason(error, ErrorReason.DELIVERY_NOT_FOUND);
}
