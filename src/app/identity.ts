import { rfc3339 } from '../base/time.ts';
import type { Log } from '../engine/ports.ts';
import { IDENTITY } from '../store/repositories/service/instance.ts';
import type { Identity, Store, Writer } from '../store/types.ts';
import { enter } from './quarantine.ts';

type Stored = Readonly<Record<string, unknown>>;

/** The stored text. The mark file is a fact of one start alone. A member that cannot be read now stays as it was. */
function textOf(identity: Identity, before: Stored | undefined): string {
  if (identity.engine === 'sqlite')
    return JSON.stringify({ engine: identity.engine, path: identity.path, inode: identity.inode });
  return JSON.stringify({ ...identity, system: identity.system ?? before?.system ?? null });
}

const NAMES: Readonly<Record<string, string>> = {
  engine: 'engine',
  path: 'path',
  inode: 'inode',
  system: 'system identifier',
  database: 'OID of the database',
  table: 'OID of a table',
};

/** How the database differs from the one that its row describes. A member that could not be read once is no difference. */
export function differences(stored: Stored, now: Identity): string[] {
  const found = Object.entries(now)
    .filter(([name, value]) => name !== 'marked' && value !== null && (stored[name] ?? value) !== value)
    .map(([name, value]) => `${NAMES[name]} ${stored[name]}, now ${value}`);
  if (now.engine === 'sqlite' && !now.marked) found.push('no file countersign.mark');
  return found;
}

/** Writes which database this is. */
export async function takeIdentity({ instance }: Pick<Writer, 'instance'>, identity: Identity): Promise<Stored | undefined> {
  const text = await instance.get(IDENTITY);
  const before: Stored | undefined = text === undefined ? undefined : JSON.parse(text);
  await instance.put(IDENTITY, textOf(identity, before));
  return before;
}

/**
 * Whether this database is another one than that of the last start. Then it is a copy, and in quarantine. The row then describes the copy, so
 * that the quarantine is entered once. A database without the row takes its identity now.
 */
export async function checkIdentity(store: Store, log: Pick<Log, 'warn'>, now: number): Promise<void> {
  const identity = await store.identity();
  const before = await store.read.instance.get(IDENTITY);
  if (identity.engine === 'postgres' && identity.system === null)
    log.warn(
      {},
      'this role may not call pg_control_system(): a copy of the whole cluster on another machine is not recognized. GRANT EXECUTE ON FUNCTION pg_control_system() lets it',
    );
  const known: Stored | undefined = before === undefined ? undefined : JSON.parse(before);
  if (known !== undefined && differences(known, identity).length === 0 && textOf(identity, known) === before) return;
  await store.exclusively(async (tx) => {
    // Another process may have started meanwhile.
    const stored = await takeIdentity(tx, identity);
    const found = stored === undefined ? [] : differences(stored, identity);
    if (found.length === 0) return;
    const detail = `the database is a copy of the one of the last start (${found.join('; ')})`;
    await enter(
      tx,
      { cause: 'copied', detail, since: rfc3339(now), refusesBefore: null, sendsBefore: null, ended: null, held: [] },
      now,
    );
  });
}
