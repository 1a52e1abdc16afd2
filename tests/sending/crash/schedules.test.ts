import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName, freshDatabase } from '../../support/database.ts';
import { startWorld, trySchedule, type World } from './matrix.ts';
import { scheduleOf } from './schedule.ts';

/** As many as have time here; `npm run crash` carries out hundreds. Each engine has its own. */
const SEEDS = Array.from({ length: 20 }, (_, i) => (engineName === 'sqlite' ? i : 1000 + i));

let world: World;
before(async () => {
  world = await startWorld(await freshDatabase());
});
after(() => world?.stop());

for (const seed of SEEDS) {
  const schedule = scheduleOf(seed);
  const where = schedule.crashes.map((crash) => ('point' in crash ? crash.point : 'a random moment')).join(', ');
  test(`seed ${seed}: kill -9 ${where}: every send lands once, and is told of truthfully`, async () => {
    const { found } = await trySchedule(world, schedule);
    assert.deepEqual(found, []);
  });
}
