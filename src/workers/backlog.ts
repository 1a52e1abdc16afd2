import type { DueMessage, Reader } from '../store/types.ts';

/** Messages, and payers, that are looked at in one step. */
const STEP = { messages: 200, payers: 16 };

export type Backlog = {
  /** The next messages to claim, at most `most`. `isEnd`: no others can be claimed now. `placesOf`: how many of a payer. */
  next(now: number, most: number, placesOf: (payerId: string) => number): Promise<{ found: DueMessage[]; isEnd: boolean }>;
};

/**
 * The due messages of one topic, in the order in which they are due. If many of them belong to payers whose places are taken, it
 * goes payer by payer instead. So the work of a step does not grow with their backlog.
 */
export function backlog({ outbox }: Pick<Reader, 'outbox'>, topic: string): Backlog {
  /** The payer that was looked at last. */
  let last: string | undefined;
  /** Whether nothing was found since the first payer. */
  let isIdle = true;

  async function ofPayers(now: number, most: number, placesOf: (payerId: string) => number) {
    const found: DueMessage[] = [];
    for (let looked = 0; looked < STEP.payers && found.length < most; looked++) {
      last = await outbox.payer(topic, last);
      if (last === undefined) return { found, isEnd: isIdle };
      const places = Math.min(placesOf(last), most - found.length);
      if (places > 0) found.push(...(await outbox.dueOf(topic, last, now, places)));
      if (found.length > 0) isIdle = false;
    }
    return { found, isEnd: false };
  }

  return {
    async next(now, most, placesOf) {
      // Until each payer was looked at.
      if (last !== undefined) return ofPayers(now, most, placesOf);
      const first = await outbox.due(topic, now, STEP.messages);
      const taken = new Map<string, number>();
      const found: DueMessage[] = [];
      for (const message of first) {
        const { payerId, isBehind } = message;
        const places = placesOf(payerId) - (taken.get(payerId) ?? 0);
        if (isBehind || places <= 0) continue;
        if (found.length === most) break;
        taken.set(payerId, (taken.get(payerId) ?? 0) + 1);
        found.push(message);
      }
      if (found.length > 0) return { found, isEnd: false };
      isIdle = true;
      return first.length < STEP.messages ? { found, isEnd: true } : ofPayers(now, most, placesOf);
    },
  };
}
