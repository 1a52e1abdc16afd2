import type { Clock } from '../base/clock.ts';
import { freeBytes } from '../base/free-space.ts';
import { recentAnswer } from '../chain-io/nodes/recent-answer.ts';
import type { UpkeepFamilies } from '../http/metrics/upkeep.ts';
import { isOn } from '../model/quarantine.ts';
import type { Store } from '../store/types.ts';
import { unsavedFor } from './last-backup.ts';

/** The least time between two looks, however often the page is requested. */
const EVERY_MS = 5_000;
const MOST_DEAD = 1_000;

type Parts = { dataDir: string; store: Store; clock: Clock; elapsed: Clock; families: UpkeepFamilies };

/** Looks up the gauges of messages, the disk, the last copy and the quarantine. */
export function upkeepGauges({
  dataDir,
  store,
  clock,
  elapsed,
  families: { late, dead, disk, backup, quarantine, reserved },
}: Parts): () => Promise<void> {
  return recentAnswer(elapsed, EVERY_MS, async () => {
    disk.set(freeBytes(dataDir) ?? Number.NaN);
    try {
      for (const topic of ['mail', 'sms']) {
        const due = (await store.read.outbox.nextDue(topic)) ?? Number.POSITIVE_INFINITY;
        late.set({ topic }, Math.max(clock.now() - due, 0) / 1000);
      }
      const found = await store.read.instance.quarantine();
      quarantine.set(isOn(found) ? 1 : found !== undefined && found.held.length > 0 ? 0.5 : 0);
      dead.set((await store.read.outbox.page('dead', MOST_DEAD)).length);
      const since = (await store.read.allVelocityCounters.reservedSince()) ?? clock.now();
      reserved.set(Math.max(clock.now() - since, 0) / 1000);
      backup.set((await unsavedFor(dataDir, store.read, clock.now())).ms / 1000);
    } catch {
      // Old values would hide that the database does not answer.
      late.reset();
      for (const gauge of [dead, backup, quarantine, reserved]) gauge.set(Number.NaN);
    }
  });
}
