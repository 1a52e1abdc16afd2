import { stepsIn } from '../model/velocity-control.ts';
import { addsNothing, alertOf, counted, type Spend } from '../model/velocity-spend.ts';
import type { Step } from '../model/velocity-window.ts';
import type { NewWebhookEvent } from '../model/webhook-event.ts';
import { arrays } from './arrays.ts';
import { type Column, list, sought } from './columns.ts';
import { recordOnPostgres } from './record.ts';
import { counterKey, counterRow, entryOf } from './repositories/policies/velocity-counters.ts';
import { type Conn, written } from './statement.ts';
import { velocityCounters, velocityEntries } from './tables/velocity-controls.ts';
import type { FinishedRecord, RecordResult } from './types.ts';
import { recordAlerts } from './velocity-alerts.ts';

const { organizationId, controlId, bucket } = velocityCounters.model;
const KEY = [list(sought(organizationId)), list(sought(controlId)), list(sought(bucket))] as const;
const GIVEN = `unnest(${KEY.map(({ postgres: { type } }, i) => `$${i + 1}::${type}`).join(', ')})`;

/** Locks the rows in the order of the keys, as every other transaction does. */
const hold = written<{ n: number; steps: string }>('postgres')(
  `SELECT k.n::int AS n, c.steps FROM ${GIVEN} WITH ORDINALITY AS k(org, control, bucket, n)
  JOIN velocity_counters c ON c.organization_id = k.org AND c.control_id = k.control AND c.bucket = k.bucket
  ORDER BY k.n FOR UPDATE OF c`,
  ...KEY,
);
const create = written('postgres')(
  `INSERT INTO velocity_counters (organization_id, control_id, bucket, steps)
  SELECT k.org, k.control, k.bucket, '[]' FROM ${GIVEN} AS k(org, control, bucket)
  JOIN velocity_controls v ON v.organization_id = k.org AND v.id = k.control ON CONFLICT DO NOTHING`,
  ...KEY,
);

const COUNTERS = arrays(velocityCounters, []);
const ENTRIES = arrays(velocityEntries, []);
const typesOf = (columns: readonly { postgres: { type: string } }[], from: number): string =>
  columns.map(({ postgres: { type } }, i) => `$${from + i}::${type}`).join(', ');

const write = written('postgres')(
  `WITH changed AS (
    UPDATE velocity_counters c SET steps = g.steps
    FROM unnest(${typesOf(COUNTERS.columns, 1)}) AS g(${COUNTERS.names.join(', ')})
    WHERE c.organization_id = g.organization_id AND c.control_id = g.control_id AND c.bucket = g.bucket
  )
  INSERT INTO velocity_entries (${ENTRIES.names.join(', ')})
  SELECT * FROM unnest(${typesOf(ENTRIES.columns, COUNTERS.columns.length + 1)})`,
  ...([...COUNTERS.columns, ...ENTRIES.columns] as Column<unknown>[]),
);

export type Place = { org: string; spend: Spend };
export type Counters = Map<string, readonly Step[]>;
/** The events of each record. */
export type Alerts = Map<FinishedRecord, readonly NewWebhookEvent[]>;

const placesOf = ({ activity, spends = [] }: FinishedRecord): Place[] =>
  spends.filter(({ window }) => window.kind !== 'transaction').map((spend) => ({ org: activity.organizationId, spend }));

const keysOf = (places: readonly Place[]) =>
  [places.map(({ org }) => org), places.map(({ spend }) => spend.controlId), places.map(({ spend }) => spend.bucket)] as const;

/** Each counter once, in the order in which all transactions lock them. */
export function inOrder(records: readonly FinishedRecord[]): Place[] {
  const each = new Map(records.flatMap(placesOf).map((place) => [counterKey(place.org, place.spend), place]));
  return [...each].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
}

/** Adds what a record counts. False, and nothing is added, if a guard has changed. */
export function add(record: FinishedRecord, counters: Counters, alerts: Alerts): boolean {
  const { activity, spends = [] } = record;
  const changed: Counters = new Map();
  const events: NewWebhookEvent[] = [];
  for (const spend of spends) {
    const key = counterKey(activity.organizationId, spend);
    const more = counted(spend, changed.get(key) ?? counters.get(key) ?? [], activity.createdAt);
    if (more === undefined) return false;
    if (spend.window.kind !== 'transaction') changed.set(key, more);
    const event = alertOf(spend, more, activity.id, activity.createdAt);
    if (event !== undefined) events.push(event);
  }
  for (const [key, steps] of changed) counters.set(key, steps);
  if (events.length > 0) alerts.set(record, events);
  return true;
}

/** Another record of the batch was not written, and a guard rested on it. Nothing is written, and each is written alone. */
class Reordered extends Error {}

/** The counters do not exist yet. Nothing is written. */
export class NoCounters extends Error {
  readonly create: (conn: Conn) => Promise<number>;
  constructor(places: readonly Place[]) {
    super('counters are created first');
    this.create = (conn) => create.run(conn, keysOf(places));
  }
}

/**
 * PostgreSQL: several records with what they count, in one transaction. The counters are locked first, then the records that fit are
 * written, then their counters and entries. Throws NoCounters.
 */
export async function recordCounted(
  conn: Conn,
  records: readonly FinishedRecord[],
): Promise<{ results: RecordResult[]; counters: Counters }> {
  const places = inOrder(records);
  const held = await hold.all(conn, keysOf(places));
  if (held.length < places.length) throw new NoCounters(places);
  const before: Counters = new Map(
    held.map(({ n, steps }) => [counterKey(places[n - 1]!.org, places[n - 1]!.spend), stepsIn(JSON.parse(steps))]),
  );
  const after: Counters = new Map(before);
  const alerts: Alerts = new Map();
  const fits = records.map((record) => add(record, after, alerts));
  const fitting = records.filter((_, i) => fits[i]);
  const results = fitting.length === 0 ? [] : await recordOnPostgres(conn, fitting);
  const made = fitting.filter((_, i) => results[i] === 'written');
  const last = made.length === fitting.length ? { counters: after, alerts } : recounted(made, before);
  if (made.length > 0) await count(conn, made, last.counters, places);
  for (const record of made) await recordAlerts(conn, last.alerts.get(record) ?? []);
  const left = results.values();
  const outcomes = fits.map((isFitting): RecordResult => (isFitting ? left.next().value! : 'refused'));
  return { results: outcomes, counters: made.length > 0 ? last.counters : before };
}

function recounted(made: readonly FinishedRecord[], before: Counters): { counters: Counters; alerts: Alerts } {
  const [counters, alerts]: [Counters, Alerts] = [new Map(before), new Map()];
  for (const record of made) if (!add(record, counters, alerts)) throw new Reordered();
  return { counters, alerts };
}

export const entriesOf = (made: readonly FinishedRecord[], counters: Counters) =>
  made.flatMap(({ activity: { organizationId, id, createdAt }, spends = [] }) =>
    spends
      .filter((spend) => !addsNothing(spend))
      .map((spend) => entryOf(organizationId, id, spend, createdAt, counters.get(counterKey(organizationId, spend)) ?? [])),
  );

async function count(conn: Conn, made: readonly FinishedRecord[], counters: Counters, places: readonly Place[]): Promise<void> {
  const rows = places.map(({ org, spend }) => counterRow(org, spend, counters.get(counterKey(org, spend))!));
  const entries = entriesOf(made, counters);
  if (entries.length > 0) await write.run(conn, [...COUNTERS.of(rows), ...ENTRIES.of(entries)]);
}
