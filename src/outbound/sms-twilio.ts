import { isObject } from '../base/json.ts';
import { post } from './post.ts';
import { SendError, type Texter } from './types.ts';

export type TwilioSettings = { accountSid: string; authToken: string; from: string; baseUrl: string };

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Twilio's Messages resource: https://www.twilio.com/docs/messaging/api/message-resource. It takes no idempotency key: a message
 * whose answer was lost is sent twice.
 */
export function twilio({ accountSid, authToken, from, baseUrl }: TwilioSettings): Texter {
  const stop = new AbortController();
  const url = `${baseUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`;
  const headers = {
    authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  const sender = from.startsWith('MG') ? 'MessagingServiceSid' : 'From';
  return {
    async send({ to, text }) {
      const body = new URLSearchParams({ To: to, [sender]: from, Body: text }).toString();
      const answer = await post(url, body, headers, stop.signal);
      const { sid, status, code, message } = parsed(answer.text);
      if (answer.status === 201 || answer.status === 200)
        return { response: `${String(status ?? 'accepted')} ${String(sid ?? '')}`.trim() };
      // 400: this message. Any other: our account, their load, or their fault.
      throw new SendError(`HTTP ${answer.status} ${String(code ?? '')} ${String(message ?? '')}`.trim().slice(0, 300), {
        permanent: answer.status === 400,
      });
    },
    close: () => stop.abort(),
  };
}
