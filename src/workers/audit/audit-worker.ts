import type { Clock } from '../../base/clock.ts';
import type { Decoder } from '../../engine/activity/decode.ts';
import type { Log } from '../../engine/ports.ts';
import { type AuditFact, RECIPIENTS_SINCE } from '../../model/audit-fact.ts';
import type { Store, ToAudit } from '../../store/types.ts';
import { byLoad, type SteppingWorker, steppingWorker } from '../stepping.ts';
import { auditedOf } from './audited.ts';

const LEASE = 'audit';
/** How long another process waits for one that died. */
const LEASE_MS = 10_000;
/** Rows of each table in one step. Its transaction takes a few milliseconds on SQLite, where other writes wait. */
const BATCH = 200;
const EVERY_MS = 1_000;
/** When the service stops. */
const LAST_STEPS = 20;

type Parts = { store: Store; clock: Clock; elapsed: Clock; log: Log; owner: string; decode: Decoder };

/** Earlier facts of activities that have changed since. */
async function earlier(store: Store, rows: readonly ToAudit[]): Promise<AuditFact[]> {
  const changed = Map.groupBy(
    rows.filter(({ version }) => version > 1),
    ({ organizationId }) => organizationId,
  );
  const found: AuditFact[] = [];
  for (const [org, some] of changed)
    found.push(
      ...(await store.read.auditFacts.ofActivities(
        org,
        some.map(({ id }) => id),
      )),
    );
  return found;
}

/**
 * Writes the facts by which auditors filter, behind a position over activities and votes. One process writes at a time. It begins with
 * the first activity, so it also fills in those that are older than the tables.
 */
export function auditWorker({ store, clock, elapsed, log, owner, decode }: Parts): SteppingWorker {
  /** Facts that an older version wrote have no recipients. */
  let knowsSince = false;

  /** Writes the facts of the next rows. False if there are none, or if another process writes. */
  async function step(isFirst: boolean): Promise<boolean> {
    const { auditing } = store.read;
    const from = await auditing.place();
    const to = await auditing.endOfNext(from, BATCH);
    if (to === undefined) return false;
    const claim = () => store.transaction((tx) => tx.leases.claim(LEASE, owner, clock.now(), clock.now() + LEASE_MS));
    // So only one process reads them.
    if (isFirst && !(await claim())) return false;
    const rows = await auditing.between(from, to);
    const audited = await auditedOf(store.read, rows, decode);
    const before = await earlier(store, rows);
    const moved = await store.transaction(async (tx) => {
      const now = clock.now();
      if (!(await tx.leases.claim(LEASE, owner, now, now + LEASE_MS))) return false;
      const place = await tx.auditing.place();
      if (place.activities !== from.activities || place.audit !== from.audit) return false;
      if (!knowsSince) await tx.instance.put(RECIPIENTS_SINCE, (await tx.instance.get(RECIPIENTS_SINCE)) ?? String(now));
      await tx.auditFacts.put(audited, before);
      await tx.auditFacts.moveTo(to);
      return true;
    });
    knowsSince ||= moved;
    return moved;
  }

  /** So an archive command that follows on SQLite finds everything written. */
  async function leave(): Promise<void> {
    let more = true;
    for (let steps = 0; more && steps < LAST_STEPS; steps++) more = await step(steps === 0);
    await store.transaction((tx) => tx.leases.release(LEASE, owner));
  }

  const failed = 'the facts for auditors could not be written; it is retried';
  return steppingWorker({ elapsed, log, everyMs: EVERY_MS, rests: byLoad(), step, leave, failed });
}
