import type { Letter, Mailer, Sms, Texter } from './types.ts';

/** A message that was kept instead of sent. `id`: the same at each attempt, as the Message-ID of a mail is. */
export type Kept = { id: string; channel: 'email' | 'sms'; to: string; subject: string; text: string; html: string; at: string };

const MOST = 200;
const MOST_BYTES = 8 * 2 ** 20;

export type DevOutbox = {
  mailer: Mailer;
  texter: Texter;
  /** The newest first. */
  messages(): readonly Kept[];
};

const sizeOf = ({ to, subject, text, html }: Kept): number => 2 * (to.length + subject.length + text.length + html.length) + 200;

/** Keeps messages in memory, for users who try the service out. The oldest are dropped when there are many. */
export function devOutbox(now: () => number): DevOutbox {
  const kept: Kept[] = [];
  let bytes = 0;
  const keep = (message: Omit<Kept, 'at'>): { response: string } => {
    const one = { ...message, at: new Date(now()).toISOString() };
    kept.unshift(one);
    bytes += sizeOf(one);
    while (kept.length > MOST || (bytes > MOST_BYTES && kept.length > 1)) bytes -= sizeOf(kept.pop()!);
    return { response: 'kept in /dev/outbox, not sent' };
  };
  return {
    messages: () => kept,
    mailer: {
      send: async ({ messageId, to, subject, text, html }: Letter) =>
        keep({ id: messageId, channel: 'email', to, subject, text, html }),
      close() {},
    },
    texter: {
      // The code is shown as in mails, whatever the template of the SMS makes of it.
      send: async ({ id, to, text, code }: Sms) => {
        const line = `code: ${code}`;
        return keep({ id, channel: 'sms', to, subject: '', text: text.includes(line) ? text : `${text}\n\n${line}`, html: '' });
      },
      close() {},
    },
  };
}
