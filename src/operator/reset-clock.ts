import { resetRow } from '../app/service-time.ts';
import type { Config } from '../config.ts';
import { judgeAll } from '../domain/billing/quotas.ts';
import type { Reader } from '../store/types.ts';
import { withReader, withStore } from './offline-store.ts';
import { resetQuarantine } from './release/reset.ts';

/** A smaller lead does not count as a wrong future: a restart alone may cause it. */
const USUAL_MS = 5_000;
/** With a larger difference between two machines' clocks, neither is trusted. */
const APART_MS = 60_000;

/** Milliseconds. `changed`: false if the time was not ahead, or in a dry run. */
export type ClockReset = { from: number; to: number; ahead: boolean; changed: boolean };

async function plan(read: Reader, now: number): Promise<Omit<ClockReset, 'changed'>> {
  const found = await read.clock.get();
  if (found.now !== undefined && Math.abs(found.now - now) > APART_MS)
    throw new Error(
      `this machine’s clock and the database server’s differ by ${Math.round(Math.abs(found.now - now) / 1000)} s: correct them first`,
    );
  return { from: found.reached, to: now, ahead: found.reached > now + USUAL_MS };
}

const UNDONE = 'the clock was not reset';

/**
 * Sets the service's time back to this machine's clock. On SQLite no service may run; services on PostgreSQL notice. A dry run may
 * run beside the service.
 */
export function resetClock(config: Config, now: number, reason: string, dryRun: boolean): Promise<ClockReset> {
  if (dryRun) return withReader(config, UNDONE, async (read) => ({ ...(await plan(read, now)), changed: false }));
  return withStore(config, UNDONE, async (store) => {
    const planned = await plan(store.read, now);
    if (!planned.ahead) return { ...planned, changed: false };
    await store.exclusively(async (tx) => {
      const { resets } = await tx.clock.reset(now);
      await tx.leases.releaseAll();
      await tx.tvcProvisionings.releaseAll();
      await tx.webhookQueues.releaseAll(now);
      await tx.scan.checkedBy(now);
      await judgeAll(tx, now);
      await resetQuarantine(tx, now);
      const { from, to } = planned;
      await tx.instance.put(resetRow(resets), JSON.stringify({ from: iso(from), to: iso(to), reason }));
    });
    return { ...planned, changed: true };
  });
}

const iso = (ms: number): string => new Date(ms).toISOString();
