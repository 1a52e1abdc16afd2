import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlCache, coveringKind } from '../../../src/domain/velocity/control-cache.ts';
import type { Terms } from '../../../src/domain/velocity/terms.ts';
import type { Organization } from '../../../src/model/organization.ts';
import type { VelocityControl } from '../../../src/model/velocity-control.ts';
import type { Reader } from '../../../src/store/types.ts';
import { velocityControlOf } from '../../store/repositories/policies/velocity-row.ts';

const CONTROLS = 4_000;

test('controls whose scopes share all ids are indexed within a second of processor time', () => {
  const walletIds = new Set(Array.from({ length: 500 }, (_, i) => `wallet ${i}`));
  const terms = { kinds: undefined, assets: undefined, always: true, scope: { walletIds } } as unknown as Terms;
  const begun = process.threadCpuUsage();
  const { byId } = coveringKind(
    { version: 1, all: Array.from({ length: CONTROLS }, () => terms), byKind: new Map() },
    { kind: 'SIGN_TRANSACTION', takes: async () => [], votes: undefined },
  );
  const { user, system } = process.threadCpuUsage(begun);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
  assert.equal(byId.get('wallet 499')?.length, CONTROLS);
});

test('a new control is read alone, and any other change reads all', async () => {
  const rows = new Map<string, VelocityControl>();
  let [version, read] = [0, 0];
  const add = (id: string) => rows.set(id, velocityControlOf('org', id, { id }));
  const page = async (_: string, { limit, after = '' }: { limit: number; after?: string }) => {
    const found = [...rows.values()].filter(({ id }) => id > after).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    read += Math.min(found.length, limit);
    return found.slice(0, limit);
  };
  const cache = controlCache({ kindOf: () => undefined, compileTransferCondition: () => assert.fail() });
  /** The ids of the controls, and how many rows were read for them. */
  const change = async (made: () => unknown, changes = 1) => {
    made();
    [version, read] = [version + changes, 0];
    const { all } = await cache(
      { velocityControls: { page } } as unknown as Reader,
      { id: 'org', velocityVersion: version } as Organization,
    );
    return [all.map(({ control }) => control.id), read];
  };
  assert.deepEqual(await change(() => ['b', 'c'].map(add), 2), [['b', 'c'], 2]);
  assert.deepEqual(await change(() => add('d')), [['b', 'c', 'd'], 1]);
  assert.deepEqual(await change(() => ['e', 'f'].map(add), 2), [['b', 'c', 'd', 'e', 'f'], 2]);
  assert.deepEqual(await change(() => rows.delete('c')), [['b', 'd', 'e', 'f'], 4]);
  // Another process made this id earlier.
  assert.deepEqual(await change(() => add('a')), [['a', 'b', 'd', 'e', 'f'], 5]);
  assert.deepEqual(await change(() => [rows.delete('b'), add('g')], 2), [['a', 'd', 'e', 'f', 'g'], 6]);
});
