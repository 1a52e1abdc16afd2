import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Busy } from '../../../src/base/errors.ts';
import { organizationTurns } from '../../../src/engine/decision/decisions.ts';

test('many organizations below one wait as one, so they leave room for others', async () => {
  const turn = organizationTurns(1);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const below = (n: number) => turn({ id: `below ${n}`, parentId: 'one' }, () => ended);
  const first = below(0);
  const waiting = Array.from({ length: 32 }, (_, n) => below(n + 1));
  await assert.rejects(below(33), Busy);
  const other = turn({ id: 'other', parentId: null }, async () => 'done');
  end();
  assert.equal(await other, 'done');
  await Promise.all([first, ...waiting]);
});
