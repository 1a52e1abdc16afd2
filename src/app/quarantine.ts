import type { Clock } from '../base/clock.ts';
import { rfc3339 } from '../base/time.ts';
import type { Log } from '../engine/ports.ts';
import { begun, isOn, type Quarantine } from '../model/quarantine.ts';
import type { Store, Writer } from '../store/types.ts';
import type { OperatorWarning } from './clock-warning.ts';

/** The quarantine as this process read it last. Each renewal of the service's time reads it again. */
export type QuarantineView = {
  found(): Quarantine | undefined;
  /** `text`: the value of its row. */
  read(text: string | null): void;
};

export function quarantineView(): QuarantineView {
  let found: Quarantine | undefined;
  let last: string | null = null;
  return {
    found: () => found,
    read(text) {
      if (text === last) return;
      last = text;
      found = text === null ? undefined : JSON.parse(text);
    },
  };
}

const RELEASE =
  'stop the original, and run "countersign sends release". Until then no send, mail, SMS or webhook leaves this instance';

/** For `/ready` and the log. */
export function quarantineWarning(found: Quarantine | undefined): OperatorWarning | undefined {
  if (found === undefined) return undefined;
  if (isOn(found)) return { code: 'QUARANTINE', message: `in quarantine since ${found.since}: ${found.detail}: ${RELEASE}` };
  if (found.held.length === 0) return undefined;
  const networks = [...new Set(found.held.map(({ caip2 }) => caip2))].join(', ');
  return {
    code: 'QUARANTINE',
    message: `some sends on ${networks} are still in quarantine: run "countersign sends release" again`,
  };
}

/** No process goes on with what it has claimed: each transaction of an owner fails. */
export async function enter(tx: Writer, found: Quarantine, now: number): Promise<void> {
  await tx.instance.setQuarantine(found);
  await tx.sendAccounts.releaseAll(now);
  await tx.webhookQueues.releaseAll(now);
}

type Parts = { store: Store; clock: Clock; machine: Clock; log: Log };

/** A running process found a database that lacks what it has written. Others learn of it within `learnMs`, and accept sends until then. */
export async function enterWentBack(
  { store, clock, machine, log }: Parts,
  { reached, known, learnMs }: { reached: number; known: number; learnMs: number },
): Promise<Quarantine> {
  const [had, has] = [known, reached].map(rfc3339);
  const detail = `the database was at ${had}, and came back at ${has}: what was written between is lost`;
  const found: Quarantine = {
    ...{ cause: 'went back', detail, since: rfc3339(machine.now()), ended: null, held: [] },
    ...{ refusesBefore: null, sendsBefore: null },
  };
  const times = begun(found, machine.now(), clock.now() + learnMs);
  await store.exclusively((tx) => enter(tx, times, clock.now()));
  log.error({ code: 'QUARANTINE' }, quarantineWarning(times)!.message);
  return times;
}

/** The first start of a copy notes its time, for good. Each start during a quarantine says so. */
export async function startQuarantine({ store, clock, machine, log }: Parts, view: QuarantineView): Promise<void> {
  if (view.found()?.refusesBefore === null)
    await store.exclusively(async (tx) => {
      // Another process may start at the same time.
      const found = begun((await tx.instance.quarantine())!, machine.now(), clock.now());
      await tx.instance.setQuarantine(found);
      view.read(JSON.stringify(found));
    });
  const warning = quarantineWarning(view.found());
  if (warning !== undefined) log.warn({ code: warning.code }, warning.message);
}
