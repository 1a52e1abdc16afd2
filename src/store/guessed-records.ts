import { Lru } from '../base/lru.ts';
import { storedSteps } from '../model/velocity-control.ts';
import type { Step } from '../model/velocity-window.ts';
import { arrays } from './arrays.ts';
import { list, text } from './columns.ts';
import { type Alerts, add, type Counters, entriesOf, inOrder, type Place } from './counted-records.ts';
import { isRetryable } from './engines/postgres-conditions.ts';
import { ALL_FIT, recordTogether } from './record.ts';
import { counterKey } from './repositories/policies/velocity-counters.ts';
import type { Conn } from './statement.ts';
import { velocityCounters, velocityEntries } from './tables/velocity-controls.ts';
import type { FinishedRecord } from './types.ts';

const { organizationId, controlId, bucket } = velocityCounters.model;
const KEY = [list(organizationId), list(controlId), list(bucket)] as const;
const STEPS = list(text());
const ENTRIES = arrays(velocityEntries, []);

/** The counters are locked in the order of their keys, before anything is written. */
const together = recordTogether({
  columns: [...KEY, STEPS, STEPS, ...ENTRIES.columns],
  sql([org, control, bucket, before, after, ...entries]) {
    const key = `${org}, ${control}, ${bucket}`;
    const at = 'c.organization_id = k.org AND c.control_id = k.control AND c.bucket = k.bucket';
    return {
      held: `held AS MATERIALIZED (
  SELECT c.steps = k.steps AS is_known
  FROM unnest(${key}, ${before}) WITH ORDINALITY AS k(org, control, bucket, steps, n) JOIN velocity_counters c ON ${at}
  ORDER BY k.n FOR UPDATE OF c
)`,
      fits: `(SELECT count(*) = cardinality(${org}) AND coalesce(bool_and(is_known), true) FROM held)`,
      after: `, changed AS (
  UPDATE velocity_counters c SET steps = k.steps
  FROM unnest(${key}, ${after}) AS k(org, control, bucket, steps) WHERE ${at} AND ${ALL_FIT}
), entered AS (
  INSERT INTO velocity_entries (${ENTRIES.names.join(', ')}) SELECT * FROM unnest(${entries.join(', ')}) WHERE ${ALL_FIT}
)`,
    };
  },
});

type Write = (work: (conn: Conn) => Promise<boolean>) => Promise<boolean>;

/** As it is stored. */
type Known = { readonly steps: readonly Step[]; readonly text: string };

const asStored = (steps: readonly Step[]): Known => ({ steps, text: JSON.stringify(storedSteps(steps)) });

/** Characters of stored counters. As steps in memory, they take a few times as much. */
const MOST = 4_000_000;
const OVERHEAD = 200;

/**
 * PostgreSQL: counters as this process last wrote them. Another process may have changed them since, so the statement that rests on them
 * compares them under their locks.
 */
export class KnownCounters {
  readonly #known: Lru<Known>;

  constructor(most = MOST) {
    this.#known = new Lru(most, ({ text }) => text.length + OVERHEAD);
  }

  /** After a commit. */
  keep(counters: Counters): void {
    for (const [key, steps] of counters) this.#known.set(key, asStored(steps));
  }

  /**
   * Writes records with what they count, in one statement. True: all are written. False: nothing is, because a counter has changed, or a
   * record does not fit. Undefined: not tried, because a counter is not known, has no room or gets nearly full.
   */
  async record(write: Write, records: readonly FinishedRecord[]): Promise<boolean | undefined> {
    const places = inOrder(records).map((place) => ({ ...place, key: counterKey(place.org, place.spend) }));
    const before = places.flatMap(({ key }) => this.#known.get(key) ?? []);
    if (before.length < places.length) return undefined;
    const counters: Counters = new Map(places.map(({ key }, i) => [key, before[i]!.steps]));
    const alerts: Alerts = new Map();
    if (!records.every((record) => add(record, counters, alerts)) || alerts.size > 0) return undefined;
    const after = places.map(({ key }) => asStored(counters.get(key)!));
    const texts = [before, after].map((all) => all.map(({ text }) => text));
    const given = [...keysOf(places), ...texts, ...ENTRIES.of(entriesOf(records, counters))];
    let isWritten = false;
    try {
      isWritten = await write((conn) => together(conn, records, given));
    } catch (error) {
      // One of the bodies is recorded already.
      if (!isRetryable(error)) throw error;
    } finally {
      // Those that exceed the bound are not kept.
      for (const [i, { key }] of places.entries())
        if (isWritten) this.#known.set(key, after[i]!);
        else this.#known.delete(key);
    }
    return isWritten;
  }
}

const keysOf = (places: readonly Place[]) => [
  places.map(({ org }) => org),
  places.map(({ spend }) => spend.controlId),
  places.map(({ spend }) => spend.bucket),
];
