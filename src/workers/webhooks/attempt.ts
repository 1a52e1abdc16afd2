import type { Clock } from '../../base/clock.ts';
import type { WebhookVault } from '../../custody/types.ts';
import { type Outcome, outcomeOf, retryAfterMs } from '../../domain/webhooks/attempts.ts';
import type { DeliveryAttempt } from '../../model/webhook-delivery.ts';
import type { SentEvent } from '../../model/webhook-event.ts';
import { OutboundError, type Post } from '../../outbound/types.ts';
import type { WebhookKeys } from './keys.ts';

export type Attempted = DeliveryAttempt & {
  outcome: Outcome | 'stopped';
  /** The least time until the next attempt. */
  waitMs: number;
};

/** `organizationId`: the endpoint's. `payer`: its top-level organization. */
export type Destination = { organizationId: string; payer: string; url: string };

type Parts = { post: Post; keys: WebhookKeys; vault: WebhookVault; clock: Clock; elapsed: Clock; signal: AbortSignal };

const TOO_MANY_REQUESTS = 429;
const LONGEST_ERROR = 300;

/** The size of most messages, at most. */
const ROOM_BYTES = 64 * 1024;

/** Makes the bytes to sign, which are valid until the next ones. Memory for each message would cost as much as its signature. */
function messages(): (head: string, body: Buffer) => Buffer {
  const room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  return (head, body) => {
    const length = head.length + body.length;
    const bytes = length <= ROOM_BYTES ? room : Buffer.allocUnsafeSlow(length);
    bytes.write(head, 'latin1');
    bytes.set(body, head.length);
    return bytes.subarray(0, length);
  };
}

/** PostgreSQL stores no NUL in a text. */
const stored = (text: string): string => text.replaceAll('\0', '');

export type Attempt = (to: Destination, event: SentEvent) => Promise<Attempted>;

/** Signs an event and posts it. Each attempt has a signature of its own, because its time is signed too. */
export function attempts({ post, keys, vault, clock, elapsed, signal }: Parts): Attempt {
  const messageOf = messages();

  async function headersOf({ organizationId }: Destination, { id, eventType, body }: SentEvent, now: number) {
    const key = await keys.current();
    const signature = vault.signWebhook(key, messageOf(`v1.ed25519.${key.kid}.${now}.${id}.`, body));
    return {
      'content-type': 'application/json',
      'x-turnkey-organization-id': organizationId,
      'x-turnkey-event-type': eventType,
      'x-turnkey-timestamp': String(now),
      'x-turnkey-webhook-version': '1',
      'x-turnkey-event-id': id,
      'x-turnkey-signature-key-id': key.kid,
      'x-turnkey-signature-algorithm': 'ed25519',
      'x-turnkey-signature-version': 'v1',
      'x-turnkey-signature': signature.toString('hex'),
    };
  }

  return async (to, event) => {
    const now = clock.now();
    const headers = await headersOf(to, event, now);
    const begun = elapsed.now();
    const lasted = () => ({ lastAttemptAt: now, lastDurationMs: Math.round(elapsed.now() - begun) });
    try {
      const answer = await post(to.url, { payer: to.payer, signal }, { headers, body: event.body });
      const outcome = outcomeOf(answer.status);
      const waitMs = answer.status === TOO_MANY_REQUESTS ? retryAfterMs(answer.retryAfter, now) : 0;
      const said = { lastStatusCode: answer.status, lastAnswer: stored(answer.text), lastError: '' };
      return { outcome, waitMs, ...lasted(), ...said };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const said = { lastStatusCode: null, lastAnswer: '', lastError: stored(error.message).slice(0, LONGEST_ERROR) };
      return { outcome: signal.aborted ? 'stopped' : 'retry', waitMs: 0, ...lasted(), ...said };
    }
  };
}
