import { batched } from '../../base/batches.ts';
import { Busy } from '../../base/errors.ts';
import type { SentEvent } from '../../model/webhook-event.ts';
import type { Reader } from '../../store/types.ts';
import { type Sharer, sharesOf } from '../share.ts';

/** The most bytes of bodies in memory. Bodies above `EXPECTED` may exceed it for as long as they are used. */
const MOST_BYTES = 128 * 1024 * 1024;
/** What a body counts for until it was read. */
const EXPECTED = 1024 * 1024;
/** Bodies of one statement, and statements under way. */
const BATCHES = { most: 16, atOnce: 4, maybeOfOne: (error: unknown) => !(error instanceof Busy) };
/** How long an attempt waits while others fill the memory. Shorter than the lease of its endpoint. */
const LONGEST_WAIT_MS = 4_000;

export type Bodies = {
  /**
   * Reads an event and has it used. `undefined`: the event is no longer kept. `'full'`: others fill the memory, or its payer or
   * organization has its share, also after a wait.
   */
  with<T>(event: Sharer & { position: number }, use: (event: SentEvent | 'full' | undefined) => Promise<T>): Promise<T>;
};

/** Bodies of events under way. Receivers that hang hold theirs until the attempt ends. */
export function bodiesOf(read: Pick<Reader, 'webhookEvents'>, mostBytes = MOST_BYTES, longestWaitMs = LONGEST_WAIT_MS): Bodies {
  const bytes = sharesOf(mostBytes);
  let waiting: (() => void)[] = [];
  /** Deliveries of one event mostly begin together. */
  const readBody = batched(async (positions: readonly number[]): Promise<(SentEvent | undefined)[]> => {
    const found = new Map((await read.webhookEvents.sent([...new Set(positions)])).map((event) => [event.position, event]));
    return positions.map((position) => found.get(position));
  }, BATCHES);

  function change(sharer: Sharer, by: number): void {
    bytes.change(sharer, by);
    if (by >= 0) return;
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  }

  async function reserved(sharer: Sharer): Promise<boolean> {
    const end = AbortSignal.timeout(longestWaitMs);
    while (!bytes.mayHaveMore(sharer)) {
      if (end.aborted) return false;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        end.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    change(sharer, EXPECTED);
    return true;
  }

  return {
    async with({ position, ...sharer }, use) {
      if (bytes.mayHaveMore(sharer)) change(sharer, EXPECTED);
      else if (!(await reserved(sharer))) return use('full');
      let size = EXPECTED;
      try {
        const event = await readBody(position);
        const found = event?.body.length ?? 0;
        change(sharer, found - size);
        size = found;
        return await use(event);
      } finally {
        change(sharer, -size);
      }
    },
  };
}
