import type { SendNews } from '../model/send-news.ts';
import type { Writes } from './types.ts';

/** `news` is absent if the transaction wrote nothing about sends. */
type Noting = { news?: SendNews };

const newsOf = (noting: Noting): SendNews => {
  noting.news ??= { accepted: [], changed: [], attempts: [], cost: new Map() };
  return noting.news;
};

export const noteSends = (writes: Writes['sends'], noting: Noting): Pick<Writes['sends'], 'insert' | 'change'> => ({
  async insert(send) {
    await writes.insert(send);
    newsOf(noting).accepted.push(send);
  },
  async change(seen, change, now) {
    const written = await writes.change(seen, change, now);
    if (written) newsOf(noting).changed.push({ seen, change, at: now });
    return written;
  },
});

export const noteAttempts = (writes: Writes['sendAttempts'], noting: Noting): Pick<Writes['sendAttempts'], 'insert'> => ({
  async insert(attempt) {
    await writes.insert(attempt);
    newsOf(noting).attempts.push(attempt);
  },
});

export const noteCosts = (writes: Writes['gas'], noting: Noting): Pick<Writes['gas'], 'setReserved'> => ({
  async setReserved(organizationId, sendId, microUsd) {
    await writes.setReserved(organizationId, sendId, microUsd);
    newsOf(noting).cost.set(sendId, microUsd);
  },
});
