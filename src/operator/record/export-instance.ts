import { existsSync, fsyncSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { activities, operatorActivities } from '../../activities/index.ts';
import { openEnvelope } from '../../app/root-key.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { firstIdOf, timeOfId } from '../../base/id-time.ts';
import type { Random } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import { texts } from '../../custody/vault.ts';
import { type RecordEngine, recordLine } from '../../domain/audit/record-line.ts';
import { decoder } from '../../engine/activity/decode.ts';
import { deciding } from '../../engine/decision/deciding.ts';
import { voterTexts } from '../../engine/voters.ts';
import { ROOT_ORGANIZATION } from '../../model/organization.ts';
import { openSnapshot } from '../../store/copy/open-snapshot.ts';
import type { Snapshot } from '../../store/copy/snapshot.ts';
import { readerOn } from '../../store/repositories/index.ts';
import type { Place, Reader } from '../../store/types.ts';
import { FORMAT } from './format.ts';
import { begunFile, closeFile, endFile, type Growing, type RecordValue, resumedFile, writeTo } from './growing-file.ts';

/** `since`: leaves out activities that were made before. */
export type InstanceWish = { file: string; since: number | undefined; organizationId: string | undefined };

export type ExportMeans = { now(): number; random: Random; stopped: AbortSignal; told(activities: number): void };

export type Exported = { file: string; activities: number; sha256: string };

/** Rows of each table that one snapshot gives: a longer one would keep a busy database from cleaning up. */
const PART = 2_000;

type Line = RecordValue & { id?: string; at?: Place };

async function reading<T>({ dataDir, databaseUrl, statementLimits }: Config, work: (read: Reader, of: Snapshot) => Promise<T>) {
  const snapshot = await openSnapshot({ folder: dataDir, url: databaseUrl, statementLimits });
  try {
    return await work(readerOn(snapshot.conn), snapshot);
  } finally {
    await snapshot.close();
  }
}

/** What makes lines, on the reader of each part. */
async function makerOf(config: Config, read: Reader, random: Random): Promise<(read: Reader) => RecordEngine> {
  const vault = { texts: texts(await openEnvelope(config, read, random)) };
  const decisions = { decode: decoder([...activities, ...operatorActivities], vault), deciding: deciding() };
  const voterText = voterTexts();
  return (read) => ({ decisions, voterText, vault, store: { read } });
}

type Begun = { grown: Growing; place: Place };

/** A new file, or one that an earlier run with the same wish began. */
async function begun(read: Reader, { file, since, organizationId }: InstanceWish): Promise<Begun> {
  const instance = await read.instance.get(ROOT_ORGANIZATION);
  const header = {
    format: FORMAT,
    instance,
    ...(since === undefined ? {} : { since }),
    ...(organizationId && { only: organizationId }),
  };
  let place: Place = { activities: 0, audit: 0 };
  if (!existsSync(file)) return { grown: begunFile(file, header), place };
  let last: { organizationId: string; id: string; version: number } | undefined;
  const grown = await resumedFile(file, (value, line) => {
    if (line === 1 && !isDeepStrictEqual(value, header))
      throw new CommandFailed(`${file} exists, and is no export of this instance with these options: name another file`);
    const { id, at = place, activity }: Line = value ?? {};
    place = at;
    if (activity !== undefined) last = { ...activity, version: Number(id?.split('/')[1]) };
  });
  const version = last && (await read.activities.get(last.organizationId, last.id))?.version;
  if (last === undefined || Number(version) >= last.version) return { grown, place };
  closeFile(grown);
  throw new CommandFailed(`${file} has activities, or changes, that this database lacks, as after a restore: name another file`);
}

/**
 * Writes the record of all organizations into a file, beside running services. Lines are in the order of writing, and a changed activity
 * comes again. It ends with what was written when it began. Each line has the place from which a later run goes on.
 */
export async function exportInstance(config: Config, wish: InstanceWish, means: ExportMeans): Promise<Exported> {
  const until = means.now();
  const [engineOn, { grown, place: first }] = await reading(config, async (read) => [
    await makerOf(config, read, means.random),
    await begun(read, wish),
  ]);
  const since = firstIdOf(wish.since ?? 0);
  let newest = 0;

  async function part(read: Reader, place: Place): Promise<Place | undefined> {
    const next = await read.shipping.next(place, PART);
    for (const row of next?.rows ?? []) {
      means.stopped.throwIfAborted();
      newest = Math.max(newest, timeOfId(row.activityId));
      if (row.activityId < since || (wish.organizationId ?? row.organizationId) !== row.organizationId) continue;
      const line = await recordLine(engineOn(read), row);
      if (line === undefined) continue;
      newest = Math.max(newest, line.at);
      writeTo(grown, Buffer.from(`${line.text.slice(0, -1)},"at":${JSON.stringify(row.after)}}\n`));
      grown.activities += 1;
      means.told(grown.activities);
      // So a signal is noticed.
      if (grown.activities % 100 === 0) await setImmediate();
    }
    fsyncSync(grown.handle);
    return next?.end;
  }

  try {
    for (let place: Place | undefined = first; place !== undefined && newest <= until; ) {
      const from: Place = place;
      place = await reading(config, (read) => part(read, from));
    }
    return { file: wish.file, activities: grown.activities, sha256: endFile(grown) };
  } finally {
    closeFile(grown);
  }
}
