import { snakeCase } from '../../base/names.ts';
import { isSealed, sealedTime } from '../../model/activity.ts';
import { comparableTime } from '../../model/organization.ts';
import { type Conn, statement } from '../statement.ts';
import type { Chosen } from './choose.ts';

const bodyOf = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('activities').select('body').where('organization_id', '=', p.org).where('id', '=', p.id),
);

const untilNow = statement((db, p: { org: string }) =>
  db.selectFrom('organizations').select('archived_until as archivedUntil').where('id', '=', p.org),
);

const raise = statement((db, p: { org: string; until: number }) =>
  db
    .updateTable('organizations')
    .set((e) => ({ version: e('version', '+', 1), archived_until: p.until }))
    .where('id', '=', p.org),
);

/** The time in a body, in either spelling of its name. */
function namedTime(body: string): unknown {
  const members = JSON.parse(body);
  return members.timestampMs ?? members[snakeCase('timestampMs')];
}

/** The time in a body. A body without a time counts as the newest, so that it is always looked up. */
function timeIn(body: Buffer): number {
  try {
    const timestampMs = String(isSealed(body) ? sealedTime(body) : namedTime(body.toString()));
    if (/^\d{1,19}$/.test(timestampMs)) return comparableTime(timestampMs);
  } catch {}
  return Number.MAX_SAFE_INTEGER;
}

/**
 * Raises `archivedUntil` of the organizations of these activities, and their versions. This invalidates the facts that services keep in
 * memory, and any decision about an activity that leaves. Organizations are locked in the order of their ids.
 */
export async function raiseArchivedUntil(conn: Conn, batch: readonly Chosen[]): Promise<void> {
  const until = new Map<string, number>();
  for (const { organizationId: org, id } of batch) {
    const row = await bodyOf.first(conn, { org, id });
    if (row) until.set(org, Math.max(until.get(org) ?? 0, timeIn(row.body)));
  }
  for (const [org, time] of [...until].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { archivedUntil = 0 } = (await untilNow.first(conn, { org })) ?? {};
    await raise.run(conn, { org, until: Math.max(archivedUntil, time) });
  }
}
