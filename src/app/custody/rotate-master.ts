import { setImmediate } from 'node:timers/promises';
import type { Random } from '../../base/random.ts';
import { envelope } from '../../custody/envelope.ts';
import { type KeyRing, keyRing } from '../../custody/key-ring.ts';
import { newMasterKey, openMasterKeys } from '../../custody/masters.ts';
import { reseal } from '../../custody/reseal.ts';
import { EnvelopeError, type RootKey } from '../../custody/types.ts';
import { SEALED_PLACES, type SealedPlace } from '../../store/sealed/places.ts';
import type { MasterKeyState, Store, WrappedMasterKey } from '../../store/types.ts';
import { ARCHIVE_IS_READ, DO_NOT_OPEN, type LeftOpen, stays } from './left-open.ts';
import { retireUnused } from './retire.ts';

export type MasterRotation = { version: number; resealed: number; leftOpen: LeftOpen[]; changed: boolean };

export type MasterParts = {
  store: Store;
  root: RootKey;
  random: Random;
  now: number;
  /** A rotation begins although an earlier one left a version open. */
  force: boolean;
  say(text: string): void;
  /** The process ends: the rotation stops between two pages. */
  isStopping(): boolean;
  /** Waits until running processes have seen the last change. */
  settle(): Promise<void>;
};

type Work = MasterParts & { ring: KeyRing };

const rowsOf = (store: Store): Promise<WrappedMasterKey[]> => store.read.instance.masterKeys();
const inState = (rows: readonly WrappedMasterKey[], ...states: MasterKeyState[]) =>
  rows.filter(({ state }) => states.includes(state)).map(({ version }) => version);

/**
 * The version that a rotation seals under, and whether it makes it. A rotation that was interrupted goes on, unless it left a version open
 * and `force` begins another.
 */
export function versionToSeal(rows: readonly WrappedMasterKey[], force: boolean): { version: number; isNew: boolean } {
  const isUnfinished = inState(rows, 'live').length > 1 || inState(rows, 'coming', 'closing', 'emptied').length > 0;
  const mayBegin = force && inState(rows, 'live').length === 1 && inState(rows, 'coming').length === 0;
  if (!isUnfinished || mayBegin) return { version: Math.max(...rows.map(({ version }) => version)) + 1, isNew: true };
  return { version: Math.max(...inState(rows, 'coming', 'live')), isNew: false };
}

/** Changes a state, and lets all processes see it. A change that another command made already counts. */
async function move(work: Work, version: number, from: MasterKeyState, to: Exclude<MasterKeyState, 'retired'>): Promise<void> {
  await work.store.exclusively((tx) => tx.instance.moveMasterKey(version, from, to));
  await work.ring.take(await rowsOf(work.store));
  await work.settle();
}

/** Adds the next version, unless an earlier run that was interrupted did. Returns its number. */
async function add({ store, root, random, now, say }: Work): Promise<void> {
  const rows = await rowsOf(store);
  const version = Math.max(...rows.map((row) => row.version)) + 1;
  await openMasterKeys(root, rows);
  const wrapped = await newMasterKey(root, version, random);
  await store.exclusively(async (tx) => {
    const there = await tx.instance.masterKeys();
    // Another command came first. Root keys of two passphrases have the same id, so the wrapped keys are compared.
    if (there.length !== rows.length || there.some(({ wrapped }, i) => !wrapped.equals(rows[i]!.wrapped)))
      throw new Error('another command changes the master keys: try again when it has ended');
    await tx.instance.insertMasterKey({ version, rootId: root.id, wrapped, state: 'coming', createdAt: now });
  });
  say(`master key ${version} was made: running processes open it`);
}

/** Puts a coming version into use, unless a running process cannot open it. */
async function begin(work: Work, version: number): Promise<void> {
  await work.settle();
  const objection = (await rowsOf(work.store)).find((row) => row.version === version)?.objection;
  if (objection) {
    await work.store.exclusively((tx) => tx.instance.retireMasterKey(version, 'coming'));
    throw new Error(`a running process cannot use the new master key: ${objection}. Nothing else was changed`);
  }
  await move(work, version, 'coming', 'live');
}

type Pass = { resealed: number; leftOpen: LeftOpen[] };

/** One pass over the rows of a place. Each page is a transaction of its own. */
async function pass({ store, ring, random, isStopping }: Work, place: SealedPlace, version: number): Promise<Pass> {
  const sealing = envelope(ring.keys, random, ring.states);
  const table = place.table.name;
  let [resealed, unopened] = [0, 0];
  let after: readonly unknown[] | undefined;
  do {
    // A service on SQLite does this beside its requests, and reads of SQLite wait for nothing.
    await setImmediate();
    if (isStopping()) throw new Error('the service stops. Start it, and give the command again: it goes on where it was');
    const page = await store.sealed.page(place, version, after);
    if (page === undefined) break;
    const anew = page.rows.flatMap((row) => {
      try {
        return [{ ...row, anew: reseal(sealing, row.name, row.sealed) }];
      } catch (error) {
        if (!(error instanceof EnvelopeError)) throw error;
        unopened++;
        return [];
      }
    });
    if (stays(place, store.engine)) unopened += anew.length;
    else if (anew.length > 0) resealed += await store.sealed.replace(place, anew);
    after = page.after;
  } while (after !== undefined);
  const why = stays(place, store.engine) ? ARCHIVE_IS_READ : DO_NOT_OPEN;
  return { resealed, leftOpen: unopened === 0 ? [] : [{ version, table, rows: unopened, why }] };
}

/** Passes over all places until one finds nothing more. No new secret comes under a version that is closing. */
async function empty(work: Work, version: number): Promise<Pass> {
  let total = 0;
  for (;;) {
    let found = 0;
    const leftOpen: LeftOpen[] = [];
    for (const place of SEALED_PLACES) {
      const one = await pass(work, place, version);
      found += one.resealed;
      leftOpen.push(...one.leftOpen);
      if (one.resealed > 0) work.say(`${place.table.name}: ${one.resealed} secrets sealed anew`);
    }
    total += found;
    if (await work.store.lacksArchive())
      leftOpen.push({ version, table: 'archived_activities', rows: 0, why: 'the file of the archive is not here' });
    if (found === 0) return { resealed: total, leftOpen };
  }
}

/**
 * Makes a new master key and seals every secret under it. Each step is a state in the database, so an interrupted rotation goes on where
 * it was. Running processes see each state before the next one.
 */
export async function rotateMaster(parts: MasterParts): Promise<MasterRotation> {
  const { store } = parts;
  const work: Work = { ...parts, ring: keyRing(() => parts.root) };
  await work.ring.take(await rowsOf(store));
  await retireUnused(store, parts.now);
  let rows = await rowsOf(store);
  if (versionToSeal(rows, parts.force).isNew) await add(work);
  await work.ring.take(await rowsOf(store));
  for (const version of inState(await rowsOf(store), 'coming')) await begin(work, version);
  rows = await rowsOf(store);
  const newest = Math.max(...inState(rows, 'live'));
  for (const version of inState(rows, 'live')) if (version !== newest) await move(work, version, 'live', 'closing');
  let resealed = 0;
  const leftOpen: LeftOpen[] = [];
  for (const version of inState(await rowsOf(store), 'closing')) {
    const done = await empty(work, version);
    resealed += done.resealed;
    leftOpen.push(...done.leftOpen);
    if (done.leftOpen.length === 0) await move(work, version, 'closing', 'emptied');
  }
  for (const version of inState(await rowsOf(store), 'emptied')) await move(work, version, 'emptied', 'hashes');
  await retireUnused(store, parts.now);
  await parts.settle();
  return { version: newest, resealed, leftOpen, changed: true };
}
