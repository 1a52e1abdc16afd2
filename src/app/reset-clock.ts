import type { Config } from '../config.ts';
import { withStore } from './offline-store.ts';
import { resetRow } from './service-time.ts';

/** Less than this is no wrong future: a restart alone may take as much. */
const USUAL_MS = 5_000;
/** More than this between two machines' clocks is too much to trust either. */
const APART_MS = 60_000;

/** Milliseconds. `changed`: false where the time was not ahead, and where it was only asked what would happen. */
export type ClockReset = { from: number; to: number; ahead: boolean; changed: boolean };

/** Takes the service's time back to this machine's clock. On SQLite no service may run; those on PostgreSQL notice. */
export function resetClock(config: Config, now: number, reason: string, dryRun: boolean): Promise<ClockReset> {
  return withStore(config, 'the clock was not reset', async (store) => {
    const found = await store.read.clock.get();
    if (found.now !== undefined && Math.abs(found.now - now) > APART_MS)
      throw new Error(
        `this machine’s clock and the database server’s differ by ${Math.round(Math.abs(found.now - now) / 1000)} s: correct them first`,
      );
    const planned = { from: found.reached, to: now, ahead: found.reached > now + USUAL_MS };
    if (!planned.ahead || dryRun) return { ...planned, changed: false };
    await store.exclusively(async (tx) => {
      const { resets } = await tx.clock.reset(now);
      const { from, to } = planned;
      await tx.instance.put(resetRow(resets), JSON.stringify({ from: iso(from), to: iso(to), reason }));
    });
    return { ...planned, changed: true };
  });
}

const iso = (ms: number): string => new Date(ms).toISOString();
