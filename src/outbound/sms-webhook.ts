import { createHmac } from 'node:crypto';
import { post } from './post.ts';
import { SendError, type Texter } from './types.ts';

export type SmsWebhookSettings = { url: string; secret: Buffer };

/** `whsec_` and base64, as the Standard Webhooks specification writes secrets. Undefined if it is malformed. */
export function parseWebhookSecret(text: string): Buffer | undefined {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const secret = encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
  return secret !== undefined && secret.length >= 24 && secret.length <= 64 ? secret : undefined;
}

/** The other side will never take this message. */
const FOR_GOOD = [400, 410, 422];

/**
 * Sends an SMS as a signed JSON body, for the operator's own service. Headers and signature follow Standard Webhooks
 * (https://www.standardwebhooks.com): HMAC-SHA-256 of id, time and body. The id is the same at each attempt.
 */
export function smsWebhook({ url, secret }: SmsWebhookSettings, now: () => number): Texter {
  const stop = new AbortController();
  return {
    async send({ id, to, text }) {
      const body = JSON.stringify({ type: 'sms', id, to, text });
      const time = String(Math.floor(now() / 1000));
      const signature = createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64');
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': `v1,${signature}`,
      };
      const { status } = await post(url, body, headers, stop.signal);
      if (status >= 200 && status < 300) return { response: `HTTP ${status}` };
      throw new SendError(`HTTP ${status}`, { permanent: FOR_GOOD.includes(status) });
    },
    close: () => stop.abort(),
  };
}
