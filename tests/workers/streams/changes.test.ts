import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader, StreamChange } from '../../../src/store/types.ts';
import { activityChanges } from '../../../src/workers/streams/changes.ts';
import { waitFor } from '../../support/wait.ts';

const organizationId = '01900000-0000-7000-8000-000000000001';

/** A row at each position: the id of an activity that waits, or '' for one that ended at once. */
function recorded() {
  const rows: string[] = [];
  const ranges: [number, number][] = [];
  let failures = 0;
  let hiddenFrom = Number.POSITIVE_INFINITY;
  const streamChanges = {
    end: async () => Math.min(rows.length, hiddenFrom),
    latest: async () => rows.length,
    async between(from: number, to: number) {
      if (failures > 0) throw new Error(`the database is away, ${failures--}`);
      ranges.push([from, to]);
      const ids = rows.slice(from, to).filter((id) => id !== '');
      const change = (id: string): StreamChange => ({
        ...{ organizationId, id, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', updatedAt: 0 },
      });
      return { organizationIds: [organizationId, 'not followed'], changes: ids.map(change) };
    },
  };
  let version = 1;
  const streams = { states: async (ids: readonly string[]) => ids.map((id) => ({ id, version, sequence: null })) };
  const warned: string[] = [];
  const told: string[] = [];
  const changes = activityChanges({
    read: { streamChanges, streams } as Pick<Reader, 'streamChanges' | 'streams'>,
    log: { info() {}, warn: (_, text) => void warned.push(text), error() {} },
    told: (ids) => void told.push(...ids),
  });
  /** The ids of one message. */
  async function idsAfter(sequence: number): Promise<string[] | undefined> {
    const page = await changes.page({ organizationId, sequence, subOrganizations: false });
    const [, json] = /^event: changes\ndata: (.*)\n\n$/.exec(page?.bytes.toString() ?? '') ?? [];
    return json === undefined ? undefined : JSON.parse(json).activities.map(({ id }: { id: string }) => id);
  }
  /** What the message after a sequence says of the facts. */
  async function factsAfter(sequence: number): Promise<string | undefined> {
    const page = await changes.page({ organizationId, sequence, subOrganizations: false });
    return /"factsVersion":"(\d+)"/.exec(page?.bytes.toString() ?? '')?.[1];
  }
  const change = () => {
    version += 1;
  };
  const readUpTo = (position: number) => waitFor(`position ${position}`, () => ranges.at(-1)?.[1] === position);
  const hide = (from: number) => (hiddenFrom = from);
  return {
    rows,
    ranges,
    warned,
    told,
    changes,
    idsAfter,
    factsAfter,
    change,
    readUpTo,
    hide,
    fail: (times: number) => (failures = times),
  };
}

test('a slow stream gets the latest of what it missed as one message, or is reset', async () => {
  const { rows, changes, told, idsAfter, readUpTo } = recorded();
  rows.push('before');
  const { sequence, leave } = await changes.follow(organizationId);
  rows.push('one', '', 'two');
  await readUpTo(4);
  assert.deepEqual(await idsAfter(sequence), ['one', 'two']);
  rows.push('one', '');
  await readUpTo(6);
  assert.deepEqual(await idsAfter(sequence), ['two', 'one']);
  assert.deepEqual(await idsAfter(sequence + 1), ['one']);
  rows.push(...Array.from({ length: 99 }, (_, i) => `more ${i}`));
  await readUpTo(105);
  assert.equal(await idsAfter(sequence), undefined, 'it may have missed one that is no longer kept');
  assert.equal((await idsAfter(sequence + 2))?.length, 99);
  assert.deepEqual(new Set(told), new Set([organizationId]));
  leave();
  await changes.close();
});

test('a message has the version of the facts, which signatures leave as it is', async () => {
  const { rows, changes, factsAfter, change, readUpTo } = recorded();
  const { sequence, leave } = await changes.follow(organizationId);
  for (const [at, expected] of ['1', '1', '2'].entries()) {
    if (expected === '2') change();
    rows.push('');
    await readUpTo(at + 1);
    assert.equal(await factsAfter(sequence + at), expected);
  }
  leave();
  await changes.close();
});

test('what came while the database was away is read in parts, and all of it once', async () => {
  const { rows, ranges, warned, changes, readUpTo, fail } = recorded();
  const { leave } = await changes.follow(organizationId);
  fail(1);
  rows.push(...new Array<string>(4_500).fill(''));
  await readUpTo(4_500);
  assert.equal(warned.length, 1);
  assert.deepEqual(ranges, [
    [0, 2_000],
    [2_000, 4_000],
    [4_000, 4_500],
  ]);
  leave();
  await changes.close();
  rows.push('');
  const again = await changes.follow(organizationId);
  again.leave();
  await changes.close();
  assert.equal(ranges.length, 3, 'nothing is read without a stream');
});

test('while an old transaction hides what is new, streams are reset, and nothing is lost after it', async () => {
  const { rows, changes, idsAfter, readUpTo, hide } = recorded();
  const { sequence, leave } = await changes.follow(organizationId);
  hide(0);
  rows.push('hidden');
  await waitFor('a reset', () => changes.latest(organizationId) > sequence);
  assert.equal(await idsAfter(sequence), undefined);
  hide(Number.POSITIVE_INFINITY);
  await readUpTo(1);
  assert.deepEqual(await idsAfter(sequence + 1), ['hidden']);
  leave();
  await changes.close();
});

test('streams far behind are reset, and nothing between is read', async () => {
  const { rows, ranges, changes, idsAfter, readUpTo } = recorded();
  const { sequence, leave } = await changes.follow(organizationId);
  rows.push(...new Array<string>(50_000).fill(''));
  await waitFor('a reset', () => changes.latest(organizationId) > sequence);
  assert.equal(await idsAfter(sequence), undefined);
  rows.push('next');
  await readUpTo(50_001);
  assert.deepEqual(ranges, [[50_000, 50_001]]);
  leave();
  await changes.close();
});
