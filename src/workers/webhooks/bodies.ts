import type { WebhookEvent } from '../../model/webhook-event.ts';
import type { Reader } from '../../store/types.ts';

/** The most bytes of bodies in memory, but for the last body that was read. */
const MOST_BYTES = 128 * 1024 * 1024;

export type Bodies = {
  /** Reads an event and has it used. Waits while others fill the memory. Undefined: the event is no longer kept. */
  with<T>(position: number, use: (event: WebhookEvent | undefined) => Promise<T>): Promise<T>;
};

/** Bodies of events under way. Receivers that hang hold theirs until the attempt ends. */
export function bodiesOf(read: Pick<Reader, 'webhookEvents'>, mostBytes = MOST_BYTES): Bodies {
  let bytes = 0;
  let waiting: (() => void)[] = [];

  async function room(): Promise<void> {
    while (bytes >= mostBytes) await new Promise<void>((resolve) => waiting.push(resolve));
  }

  return {
    async with(position, use) {
      await room();
      const [event] = await read.webhookEvents.at([position]);
      const size = event?.body.length ?? 0;
      bytes += size;
      try {
        return await use(event);
      } finally {
        bytes -= size;
        const all = waiting;
        waiting = [];
        for (const go of all) go();
      }
    },
  };
}
