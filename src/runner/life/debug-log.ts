import { Silent } from '../service/call.ts';
import type { Line, Place, Service } from '../service/service.ts';

/** A call has at most these, which are less than the 256 KiB of a body. */
const LINES = 500;
const BYTES = 100_000;
/** What waits for the service at most. Newer lines are dropped. */
const WAITING_BYTES = 4 * BYTES;
const LINE_COST = 64;
const EVERY_MS = 1_000;

const cost = ({ text }: Line): number => Buffer.byteLength(text) + LINE_COST;

export type DebugLog = { write(text: string): void; close(): Promise<void> };

/** For a deployment that is not in debug mode: nothing that it writes leaves the runner. */
export const NO_LOG: DebugLog = { write: () => {}, close: async () => {} };

/** Sends what the app writes, in batches. */
export function debugLog(service: Pick<Service, 'logs'>, place: Place, now: () => number): DebugLog {
  let waiting: Line[] = [];
  let bytes = 0;
  let dropped = 0;

  function write(text: string): void {
    // PostgreSQL may refuse control characters.
    const line = { at: now(), text: text.replace(/[^\P{Cc}\t]/gu, '\ufffd') };
    if (bytes + cost(line) > WAITING_BYTES) {
      dropped += 1;
      return;
    }
    waiting.push(line);
    bytes += cost(line);
  }

  function batch(): Line[] {
    let size = 0;
    const end = waiting.findIndex((line, i) => {
      size += cost(line);
      return i >= LINES || size > BYTES;
    });
    return waiting.slice(0, end < 0 ? waiting.length : end);
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const lines = batch();
      try {
        await service.logs(place, lines);
      } catch (error) {
        // What was refused would be refused again.
        if (error instanceof Silent) return;
      }
      waiting = waiting.slice(lines.length);
      bytes -= lines.reduce((sum, line) => sum + cost(line), 0);
      if (dropped === 0) continue;
      const count = dropped;
      dropped = 0;
      write(`runner: ${count} lines were dropped, since there were more than the service took`);
    }
  }

  let flushing: Promise<void> | undefined;
  const timer = setInterval(() => {
    flushing ??= flush().finally(() => {
      flushing = undefined;
    });
  }, EVERY_MS);
  timer.unref();
  return {
    write,
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
