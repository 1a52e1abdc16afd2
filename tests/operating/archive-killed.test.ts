import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { type Archiving, DAY, dayOf, startArchiving } from '../support/archiving.ts';
import { ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { seeded } from '../support/seeded.ts';

const ACTIVITIES = 60;
const next = seeded(Number(process.env.TEST_SEED ?? 1));

let service: Archiving;
let cutoff: string;
const sent: { body: string; path: string; id: string; text: string }[] = [];

before(async () => {
  service = await startArchiving();
  const { root } = service;
  const wallet = await root.submit('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
  const [signWith] = resultOf(wallet, 'createWalletResult').addresses;
  const type = 'SIGN_RAW_PAYLOAD_V2';
  for (let i = 0; i < ACTIVITIES; i++) {
    const payload = {
      payload: `00${i}`.slice(-2),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_SHA256',
    };
    const [path, body] = [submitPath(type), root.bodyOf(type, { signWith, ...payload })];
    const { text, body: answer } = await root.send(path, body);
    sent.push({ path, body, id: answer.activity.id, text });
  }
  service.toPresent();
  await root.submit('CREATE_USER_TAG', { userTagName: 'New', userIds: [] });
  cutoff = dayOf(Date.now() - 5 * DAY);
});
after(() => service.close());

/** Activities in the database, in the archive, and in both. */
async function places(): Promise<{ here: number; archived: number; both: number }> {
  const counted = (archive: string) =>
    `SELECT (SELECT count(*) FROM activities) AS here, (SELECT count(*) FROM ${archive}) AS archived,
      (SELECT count(*) FROM activities a JOIN ${archive} b ON b.organization_id = a.organization_id AND b.id = a.id) AS both`;
  const numbers = (row: Record<string, unknown>) => ({
    here: Number(row.here),
    archived: Number(row.archived),
    both: Number(row.both),
  });
  if (engineName === 'postgres') return numbers((await service.raw(counted('archived_activities')))[0]!);
  const db = new Database(join(service.dataDir, 'countersign.db'));
  try {
    db.prepare('ATTACH ? AS archive').run(join(service.dataDir, 'archive.db'));
    const made = db.prepare("SELECT 1 FROM archive.sqlite_master WHERE name = 'archived_activities'").get() !== undefined;
    const row = made
      ? counted('archive.archived_activities')
      : 'SELECT count(*) AS here, 0 AS archived, 0 AS both FROM activities';
    return numbers(db.prepare(row).get() as Record<string, unknown>);
  } finally {
    db.close();
  }
}

test('kill -9 at random moments: each activity is found once, and the next run goes on', async () => {
  const all = ACTIVITIES + 2;
  await service.stop();
  let kills = 0;
  for (let round = 0; ; round++) {
    assert.ok(round < 200, 'the runs get nowhere');
    // It says when the first batch is archived, and dies some time after that.
    const turns = next(30);
    const { code, complaint } = await service.archive(['--before', cutoff, '--batch', '1'], async (kill) => {
      if (round >= 8) return;
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      kill();
    });
    const { here, archived, both } = await places();
    assert.equal(here + archived - both, all, `round ${round}`);
    if (code === 0) break;
    assert.equal(code, null, complaint);
    kills += 1;
  }
  assert.ok(kills > 0, 'it was killed');
  assert.deepEqual(await places(), { here: 1, archived: all - 1, both: 0 });
  await service.start();
  for (const { path, body, id, text } of sent) {
    assert.equal((await service.root.query('get_activity', { activityId: id })).body.activity.id, id);
    assert.equal((await service.root.send(path, body)).text, text);
  }
  assert.equal((await places()).here, 1, 'nothing ran again');
});
