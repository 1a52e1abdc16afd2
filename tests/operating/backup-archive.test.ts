import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Archiving, DAY, dayOf, startArchiving } from '../support/archiving.ts';
import { type BackupPlace, backupPlace } from '../support/backups.ts';
import { cli } from '../support/cli.ts';
import { clientOf, ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { engineName, type Fresh, freshDatabase } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

const ACTIVITIES = 6;

let place: BackupPlace;
let service: Archiving;
const databases: Fresh[] = [];
const sent: { path: string; body: string; id: string }[] = [];
let first: string;

before(async () => {
  place = await backupPlace();
  service = await startArchiving();
  const { root } = service;
  const wallet = await root.submit('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
  const [signWith] = resultOf(wallet, 'createWalletResult').addresses;
  for (let i = 0; i < ACTIVITIES; i++) {
    const payload = { payload: `0${i}`, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
    const path = submitPath('SIGN_RAW_PAYLOAD_V2');
    const body = root.bodyOf('SIGN_RAW_PAYLOAD_V2', { signWith, ...payload });
    sent.push({ path, body, id: (await root.send(path, body)).body.activity.id });
  }
  service.toPresent();
  await root.submit('CREATE_USER_TAG', { userTagName: 'New', userIds: [] });
  const { code, complaint } = await service.archiveBetween(['--before', dayOf(Date.now() - 5 * DAY)]);
  assert.equal(code, 0, complaint);
  first = place.at('first.age');
  await backedUp(service.env, first);
  await service.stop();
});
after(async () => {
  await service.close();
  for (const database of databases) await database.drop();
  place.remove();
});

async function backedUp(env: Record<string, string>, file: string): Promise<Record<string, number>> {
  const { code, out, err } = await cli(['backup', '--out', file, '--recipient', place.recipient, '--json'], { env });
  assert.equal(code, 0, err);
  return JSON.parse(out).rows;
}

async function restored(engine: string, name: string, file: string): Promise<Record<string, string>> {
  const database = engine === 'postgres' ? await freshDatabase() : undefined;
  if (database) databases.push(database);
  const env = { DATA_DIR: place.at(name), ...(database ? { DATABASE_URL: database.url } : {}) };
  const { code, err } = await cli(['restore', '--from', file, '--identity', place.identityFile], { env });
  assert.equal(code, 0, err);
  return env;
}

/** Archived activities are found, their bodies are answered and not carried out again, and the archive command continues. */
async function compare(env: Record<string, string>): Promise<void> {
  const running = await startProcess(env);
  try {
    await running.ready();
    const { keys, organizationId } = service.root;
    const client = clientOf(running.url, keys, organizationId);
    for (const { path, body, id } of sent) {
      assert.equal((await client.query('get_activity', { activityId: id })).body.activity?.id, id);
      assert.equal((await client.send(path, body)).body.activity?.id, id);
    }
    const { activities } = (await client.query('list_activities')).body;
    assert.deepEqual(
      activities.filter(({ id }: { id: string }) => sent.some((one) => one.id === id)),
      [],
    );
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
  }
  const { code, err } = await cli(['archive', '--before', dayOf(Date.now() - 2 * DAY), '--json'], { env });
  assert.equal(code, 0, err);
}

test(`archived activities are restored on ${engineName}`, async () => {
  const env = await restored(engineName, 'same', first);
  assert.equal(existsSync(`${env.DATA_DIR}/archive.db`), engineName === 'sqlite');
  await compare(env);
  const again = await backedUp(env, place.at('again.age'));
  assert.ok(again.archived_activities! >= ACTIVITIES);
});

test('archived activities go from PostgreSQL to SQLite and back', {
  skip: engineName === 'postgres' ? false : 'needs PostgreSQL',
}, async () => {
  const onSqlite = await restored('sqlite', 'sqlite', first);
  await compare(onSqlite);
  const rows = await backedUp(onSqlite, place.at('second.age'));
  assert.ok(rows.archived_activities! >= ACTIVITIES);
  await compare(await restored('postgres', 'back', place.at('second.age')));
});
