import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSilences } from '../operating/silence/world.ts';
import { submitPath } from '../support/client.ts';
import { engineName, freshMigrated } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { startProcess } from '../support/process.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';

const skip = engineName === 'sqlite' && 'SQLite has no connections';
const MOMENTS = amount(2, 5);
const SENDS = amount(50, 200);
/** A machine that is busy with other tests answers a second later. */
const SLACK_MS = 1_000;

test('connections that fall silent lose, double and hold up nothing', { skip }, async () => {
  const silences = await startSilences((await freshMigrated(tmpdir()))!, { seed: 1 });
  try {
    for (let i = 0; i < MOMENTS; i++) await silences.moment();
    const { unavailable } = await silences.settled(SENDS);
    assert.ok(unavailable > 0, 'some requests were hit');
  } finally {
    await silences.stop();
  }
});

test('with the usual time-outs, a service with a silent database reports it, answers its requests, and ends in time', {
  skip,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-silent-'));
  const database = (await freshMigrated(folder))!;
  const proxy = await startSilentProxy(database.url);
  const service = await startProcess({ DATA_DIR: folder, DATABASE_URL: proxy.url });
  try {
    await service.ready();
    const root = service.root();
    const bodies = Array.from({ length: 20 }, (_, i) => root.bodyOf('CREATE_USER_TAG', { userTagName: `tag ${i}`, userIds: [] }));
    proxy.block(true);
    proxy.silence('both');
    const asked = bodies.map((body) => root.send(submitPath('CREATE_USER_TAG'), body));
    const looks = Array.from({ length: 3 }, async () => {
      const begun = performance.now();
      const ready = await fetch(`${service.url}/ready`);
      assert.equal(ready.status, 503);
      assert.match(((await ready.json()) as { reason: string }).reason, /the database has not answered/);
      assert.ok(performance.now() - begun < 2_000 + SLACK_MS);
    });
    await Promise.all(looks);
    const begun = performance.now();
    service.child.kill('SIGTERM');
    for (const answer of await Promise.all(asked)) {
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.body.message, /send the same body again/);
    }
    assert.equal(await service.exited, 0, service.output());
    assert.ok(performance.now() - begun < 10_000 + SLACK_MS);
  } finally {
    service.child.kill('SIGKILL');
    await service.exited;
    await proxy.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
});
