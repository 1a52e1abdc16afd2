import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { type RecordEngine, recordLine } from '../../domain/audit/record-line.ts';
import type { Log } from '../../engine/ports.ts';
import { isOn } from '../../model/quarantine.ts';
import { SHIP_DEADLINE_MS, type ShippedLine, type Shipper } from '../../outbound/types.ts';
import type { Place, Store, ToShip } from '../../store/types.ts';
import { byLoad, type SteppingWorker, steppingWorker } from '../stepping.ts';

const LEASE = 'ship';
/** How long another process waits for one that died: longer than a receiver may take. */
const LEASE_MS = SHIP_DEADLINE_MS + 5_000;
/** Rows of each table in one step. */
const BATCH = 200;
/** A batch ends with the line that reaches one of these bounds. */
const MOST = { lines: 100, characters: 2 ** 20 };
/** Activities that are read at once. */
const AT_ONCE = 4;
const EVERY_MS = 1_000;
const BACKOFF_MS = { first: 1_000, most: 60_000 };

type Parts = {
  engine: RecordEngine;
  store: Store;
  clock: Clock;
  elapsed: Clock;
  log: Log;
  owner: string;
  shipper: Shipper;
};

const isSame = (a: Place, b: Place): boolean => a.activities === b.activities && a.audit === b.audit;

/**
 * Ships the record of all organizations behind a place: at least once, in order, one process at a time. After a failure it sends one
 * line, and then twice as many each time. So a line that the receiver refuses holds only those behind it.
 */
export function shipWorker({ engine, store, clock, elapsed, log, owner, shipper }: Parts): SteppingWorker {
  let closed = false;
  let most = 1;
  let failures = 0;
  let notBefore = Number.NEGATIVE_INFINITY;
  const until = () => clock.now() + LEASE_MS;

  /** The lines that are sent at once, and the place behind each. */
  async function* chunks(rows: readonly ToShip[]): AsyncGenerator<{ lines: ShippedLine[]; after: Place }> {
    let lines: ShippedLine[] = [];
    let characters = 0;
    for (let i = 0; i < rows.length; i += AT_ONCE) {
      const some = rows.slice(i, i + AT_ONCE);
      const made = await Promise.all(some.map((row) => recordLine(engine, row)));
      for (const [j, line] of made.entries()) {
        if (line !== undefined) lines.push(line);
        characters += line?.text.length ?? 0;
        if (lines.length < most && characters < MOST.characters) continue;
        yield { lines, after: some[j]!.after };
        [lines, characters] = [[], 0];
      }
      await setImmediate();
    }
    if (lines.length > 0) yield { lines, after: rows.at(-1)!.after };
  }

  /** False if another process ships. The lease is renewed for the next lines. */
  function moved(from: Place, to: Place): Promise<boolean> {
    return store.transaction(async (tx) => {
      if (!(await tx.leases.claim(LEASE, owner, clock.now(), until()))) return false;
      if (!isSame(await tx.shipping.place(), from)) return false;
      await tx.shipping.moveTo(to);
      return true;
    });
  }

  async function ship(isFirst: boolean): Promise<boolean> {
    let from = await store.read.shipping.place();
    const next = await store.read.shipping.next(from, BATCH);
    if (next === undefined || isOn(await store.read.instance.quarantine())) return false;
    if (isFirst && !(await store.transaction((tx) => tx.leases.claim(LEASE, owner, clock.now(), until())))) return false;
    for await (const { lines, after } of chunks(next.rows)) {
      await shipper.send(lines);
      if (!(await moved(from, after))) return false;
      from = after;
      most = Math.min(2 * most, MOST.lines);
      failures = 0;
    }
    return isSame(from, next.end) || moved(from, next.end);
  }

  const release = () => store.transaction((tx) => tx.leases.release(LEASE, owner));

  async function step(isFirst: boolean): Promise<boolean> {
    if (elapsed.now() < notBefore) return false;
    try {
      return await ship(isFirst);
    } catch (error) {
      if (closed) return false;
      const waits = Math.min(BACKOFF_MS.first * 2 ** failures, BACKOFF_MS.most);
      notBefore = elapsed.now() + waits;
      failures += 1;
      most = 1;
      log.warn({ error, seconds: waits / 1000 }, 'the record could not be shipped; it is retried');
      // Another process may reach the receiver.
      await release();
      return false;
    }
  }

  const failed = 'the lease of shipping could not be released';
  const worker = steppingWorker({ elapsed, log, everyMs: EVERY_MS, rests: byLoad(), step, leave: release, failed });
  return {
    ...worker,
    close() {
      closed = true;
      shipper.close();
      return worker.close();
    },
  };
}
