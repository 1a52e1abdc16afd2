import type { WebhookEvent } from '../../model/webhook-event.ts';
import type { Reader } from '../../store/types.ts';

/** The most bytes of bodies in memory. Bodies above `EXPECTED` may exceed it for as long as they are used. */
const MOST_BYTES = 128 * 1024 * 1024;
/** What a body counts for until it was read. */
const EXPECTED = 1024 * 1024;
/** How long an attempt waits while others fill the memory. Shorter than the lease of its endpoint. */
const LONGEST_WAIT_MS = 4_000;

export type Bodies = {
  /**
   * Reads an event and has it used. `undefined`: the event is no longer kept. `'full'`: others fill the memory, and there was no room
   * after a wait.
   */
  with<T>(position: number, use: (event: WebhookEvent | 'full' | undefined) => Promise<T>): Promise<T>;
};

/** Bodies of events under way. Receivers that hang hold theirs until the attempt ends. */
export function bodiesOf(read: Pick<Reader, 'webhookEvents'>, mostBytes = MOST_BYTES, longestWaitMs = LONGEST_WAIT_MS): Bodies {
  let bytes = 0;
  let waiting: (() => void)[] = [];

  function change(by: number): void {
    bytes += by;
    if (by >= 0) return;
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  }

  async function reserved(): Promise<boolean> {
    const end = AbortSignal.timeout(longestWaitMs);
    while (bytes >= mostBytes) {
      if (end.aborted) return false;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        end.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    change(EXPECTED);
    return true;
  }

  return {
    async with(position, use) {
      if (bytes < mostBytes) change(EXPECTED);
      else if (!(await reserved())) return use('full');
      let size = EXPECTED;
      try {
        const [event] = await read.webhookEvents.at([position]);
        change((event?.body.length ?? 0) - size);
        size = event?.body.length ?? 0;
        return await use(event);
      } finally {
        change(-size);
      }
    },
  };
}
