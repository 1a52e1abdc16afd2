import { Lru } from '../base/lru.ts';
import { stepsIn, storedSteps } from '../model/velocity-control.ts';
import { addsNothing, alertOf, counted, type Spend } from '../model/velocity-spend.ts';
import type { Step } from '../model/velocity-window.ts';
import { sought, text } from './columns.ts';
import { recordOnSqlite } from './record.ts';
import { counterKey, insertEntryNow } from './repositories/policies/velocity-counters.ts';
import { type Conn, written } from './statement.ts';
import { velocityCounters } from './tables/velocity-controls.ts';
import type { FinishedRecord, RecordResult } from './types.ts';
import { recordAlertsNow } from './velocity-alerts.ts';

const { organizationId, controlId, bucket } = velocityCounters.model;
const KEY = [sought(organizationId), sought(controlId), sought(bucket)] as const;
const AT = 'organization_id = ? AND control_id = ? AND bucket = ?';

const get = written<{ steps: string }>('sqlite')(`SELECT steps FROM velocity_counters WHERE ${AT}`, ...KEY);
const insert = written('sqlite')(
  'INSERT INTO velocity_counters (organization_id, control_id, bucket, steps) VALUES (?, ?, ?, ?)',
  organizationId,
  controlId,
  bucket,
  text(),
);
const swap = written('sqlite')(`UPDATE velocity_counters SET steps = ? WHERE ${AT} AND steps = ?`, text(), ...KEY, text());
const remove = written('sqlite')(`DELETE FROM velocity_counters WHERE ${AT} AND steps = ?`, ...KEY, text());

/** As it is stored. */
type Known = { readonly steps: readonly Step[]; readonly text: string };

type Place = { readonly key: string; readonly at: readonly [org: string, control: string, bucket: string] };

/** A counter with a spend. `undo`: writes it as it was. */
type Change = { readonly steps: readonly Step[]; undo(): void };

const ignore = (): void => {};

/** Characters of stored counters. As steps in memory, they take a few times as much. */
const MOST = 4_000_000;
const OVERHEAD = 200;

/**
 * SQLite: records with what they count. Everything is synchronous, inside the group's transaction. Counters are kept as they were last
 * written. A rollback or another transaction may have changed a row since, so its write compares it.
 */
export class CountersOnSqlite {
  readonly #known = new Lru<Known>(MOST, ({ text }) => text.length + OVERHEAD);

  /** Counters are written first, because a guard may have changed. They are written back if the record is not written. */
  record(conn: Conn, record: FinishedRecord): RecordResult {
    const { activity, spends = [] } = record;
    const { organizationId: org, id, createdAt: now } = activity;
    const changes = this.#count(conn, org, spends, now);
    if (changes === undefined) return 'refused';
    const result = recordOnSqlite(conn, record);
    if (result !== 'written') {
      undo(changes);
      return result;
    }
    for (const [i, spend] of spends.entries())
      if (!addsNothing(spend)) insertEntryNow(conn, org, id, spend, now, changes[i]!.steps);
    recordAlertsNow(
      conn,
      spends.flatMap((spend, i) => alertOf(spend, changes[i]!.steps, id, now) ?? []),
    );
    return result;
  }

  /** Undefined, and nothing is written: a guard has changed. */
  #count(conn: Conn, org: string, spends: readonly Spend[], now: number): Change[] | undefined {
    const changes: Change[] = [];
    for (const spend of spends) {
      const change = this.#change(conn, org, spend, now);
      if (change === undefined) {
        undo(changes);
        return undefined;
      }
      changes.push(change);
    }
    return changes;
  }

  /** A write compares the row. A refusal, and a spend that writes nothing, rest on the row itself. */
  #change(conn: Conn, org: string, spend: Spend, now: number): Change | undefined {
    if (spend.window.kind === 'transaction') {
      const steps = counted(spend, [], now);
      return steps && { steps, undo: ignore };
    }
    const place: Place = { key: counterKey(org, spend), at: [org, spend.controlId, spend.bucket] };
    const known = addsNothing(spend) ? undefined : this.#known.get(place.key);
    const steps = known && counted(spend, known.steps, now);
    return (steps && this.#write(conn, place, known, steps)) ?? this.#changeOfRow(conn, place, spend, now);
  }

  #changeOfRow(conn: Conn, place: Place, spend: Spend, now: number): Change | undefined {
    const [row] = get.allNow(conn, place.at);
    const before = row && { steps: stepsIn(JSON.parse(row.steps)), text: row.steps };
    const steps = counted(spend, before?.steps ?? [], now);
    if (steps === undefined) return undefined;
    if (addsNothing(spend)) return { steps, undo: ignore };
    const change = this.#write(conn, place, before, steps);
    if (change === undefined) throw new Error(`the counter ${place.key} changed inside a transaction`);
    return change;
  }

  /** Undefined, and nothing is written: the row has changed. */
  #write(conn: Conn, { key, at }: Place, before: Known | undefined, steps: readonly Step[]): Change | undefined {
    const text = JSON.stringify(storedSteps(steps));
    const isWritten = before === undefined ? insert.runNow(conn, [...at, text]) : swap.runNow(conn, [text, ...at, before.text]);
    if (isWritten === 0) return undefined;
    this.#known.set(key, { steps, text });
    const undo = () => {
      this.#known.delete(key);
      if (before === undefined) remove.runNow(conn, [...at, text]);
      else swap.runNow(conn, [before.text, ...at, text]);
    };
    return { steps, undo };
  }
}

function undo(changes: readonly Change[]): void {
  for (const change of changes.toReversed()) change.undo();
}
