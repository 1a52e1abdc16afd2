import type { SendNews } from '../model/send-news.ts';
import type { Writes } from './types.ts';

type Noted = Pick<Writes, 'sends' | 'sendAttempts' | 'gas'>;

/** The same writes, and what they wrote. */
export function noting({ sends, sendAttempts, gas }: Noted): { writes: Noted; news: SendNews } {
  const news: SendNews = { accepted: [], changed: [], attempts: [], cost: new Map() };
  return {
    news,
    writes: {
      sends: {
        ...sends,
        async insert(send) {
          await sends.insert(send);
          news.accepted.push(send);
        },
        async change(seen, change, now) {
          const written = await sends.change(seen, change, now);
          if (written) news.changed.push({ seen, change, at: now });
          return written;
        },
      },
      sendAttempts: {
        ...sendAttempts,
        async insert(attempt) {
          await sendAttempts.insert(attempt);
          news.attempts.push(attempt);
        },
      },
      gas: {
        ...gas,
        async setReserved(organizationId, sendId, microUsd) {
          await gas.setReserved(organizationId, sendId, microUsd);
          news.cost.set(sendId, microUsd);
        },
      },
    },
  };
}

export const isNews = ({ accepted, changed }: SendNews): boolean => accepted.length + changed.length > 0;
