import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName, freshDatabase } from '../../../support/database.ts';
import { partOf } from '../../../support/full.ts';
import { startWorld, trySchedule, type World } from './matrix.ts';
import { TROUBLES } from './model.ts';
import { ALL, ableIn, SOLANA, scheduleOf } from './schedule.ts';

/** A part of them before a release. `npm run crash` runs hundreds. Each engine has its own. */
const SEEDS =
  engineName === 'sqlite' ? Array.from({ length: 20 }, (_, i) => i) : Array.from({ length: 6 }, (_, i) => 1004 + 3 * i);

let world: World;
before(async () => {
  world = await startWorld(await freshDatabase());
});
after(() => world?.stop());

for (const seed of partOf(SEEDS, 8, 8)) {
  const schedule = scheduleOf(seed);
  const where = schedule.crashes.map((crash) => ('point' in crash ? crash.point : 'a random moment')).join(', ');
  test(`seed ${seed}: kill -9 ${where}: every send lands once, and is told of truthfully`, async () => {
    const { found } = await trySchedule(world, schedule);
    assert.deepEqual(found, []);
  });
}

/** Nodes and chains have no part in what the engines differ in. */
const EACH = engineName === 'sqlite' ? 1 : 6;

for (const seed of partOf([0, 5, 8], EACH, EACH))
  test(`Solana, seed ${seed}: every send lands once, and is told of truthfully`, async () => {
    const { found } = await trySchedule(world, scheduleOf(seed, SOLANA));
    assert.deepEqual(found, []);
  });

for (const [seed, trouble] of partOf([...TROUBLES.entries()], EACH, EACH))
  test(`seed ${3000 + seed}, ${trouble} nodes: every send lands once, and is told of truthfully`, async () => {
    const { found } = await trySchedule(world, { ...scheduleOf(3000 + seed, ableIn(trouble, ALL)), trouble });
    assert.deepEqual(found, []);
  });
