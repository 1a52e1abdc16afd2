import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { exportInstance } from '../../src/operator/record/export-instance.ts';
import { type CheckedLine, verifyFile } from '../../src/operator/record/verify-file.ts';
import { newPair } from '../activities/support.ts';
import { engineName } from '../support/database.ts';
import { sharedInstance } from '../support/instance.ts';
import { waitFor } from '../support/wait.ts';

const instance = await sharedInstance();
const { root, dataDir, databaseUrl } = instance;
const file = join(dataDir, 'instance.jsonl');
const config = readConfig({ DATA_DIR: dataDir, ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}) });

const random = (n: number) => Buffer.alloc(n, 7);
const run = (out: string, wish: { since?: number; organizationId?: string } = {}) =>
  exportInstance(
    config,
    { file: out, since: wish.since, organizationId: wish.organizationId },
    { now: () => Date.now() + 60_000, random, stopped: new AbortController().signal, told() {} },
  );

type Line = { id: string; activity: { id: string; organizationId: string; status: string } };
const linesOf = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const activitiesIn = (path: string) => linesOf(path).flatMap(({ activity }) => activity ?? []);

async function wrongIn(path: string): Promise<CheckedLine[]> {
  const all: CheckedLine[] = [];
  const { isComplete } = await verifyFile(path, (line) => all.push(line));
  assert.ok(isComplete);
  return all.filter(({ problems }) => problems.length > 0);
}

/** On PostgreSQL, an export ends before the oldest transaction that runs on the server, be it of another database. */
async function othersEnded(): Promise<void> {
  if (databaseUrl === undefined) return;
  const [now] = await instance.raw('SELECT pg_current_xact_id()::text AS id');
  await waitFor('the transactions that run', async () => {
    const [row] = await instance.raw('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest');
    return BigInt(String(row!.oldest)) > BigInt(String(now!.id));
  });
}

let pair: Awaited<ReturnType<typeof newPair>>;
let waiting: { id: string; fingerprint: string };
before(async () => {
  pair = await newPair(instance, 'Two');
  waiting = (await pair.clients[0]!.submit('CREATE_USER_TAG', { userTagName: 'Both', userIds: [] })).body.activity;
  const { userId } = (await root.query('whoami')).body;
  await root.submit('UPDATE_USER_EMAIL', { userId, userEmail: 'new@example.com', verificationToken: 'wrong' });
  const gone = await instance.newSubOrganization('Gone', 1, 1);
  await gone.clients[0]!.submit('CREATE_WALLET', { walletName: 'One', accounts: [] });
  const deleted = await gone.clients[0]!.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true });
  assert.equal(deleted.status, 200, deleted.text);
  await othersEnded();
});

test(`an export of the instance has every activity of every organization, and is right, on ${engineName}`, async () => {
  const { activities } = await run(file);
  const rows = await instance.raw('SELECT count(*) AS n FROM activities');
  assert.equal(activities, Number(rows[0]!.n));
  assert.deepEqual(await wrongIn(file), []);
  assert.equal(new Set(activitiesIn(file).map(({ organizationId }) => organizationId)).size, 3);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.doesNotMatch(readFileSync(file, 'utf8'), /"verificationToken":"wrong"/);
});

test(`it goes on where it was cut off, and adds what changed since, on ${engineName}`, async () => {
  const whole = readFileSync(file);
  const ends = [...whole.toString('latin1').matchAll(/\n/g)].map(({ index }) => index + 1);
  for (const end of [ends[0]!, ends[1]! + 40, whole.length - 1]) {
    writeFileSync(file, whole);
    truncateSync(file, end);
    await run(file);
    assert.deepEqual(readFileSync(file), whole, `cut at ${end}`);
  }
  await pair.clients[1]!.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  await othersEnded();
  await run(file);
  const states = linesOf(file).filter(({ activity }) => activity?.id === waiting.id);
  assert.deepEqual(
    states.map(({ activity }) => activity.status),
    ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_COMPLETED'],
  );
  assert.notEqual(states[0]!.id, states[1]!.id);
  assert.deepEqual(await wrongIn(file), []);
  // A database that was restored from before the last change would else leave out what comes at the same places.
  const changed = join(dataDir, 'changed.jsonl');
  writeFileSync(changed, readFileSync(file, 'utf8').replace(states[1]!.id, `${waiting.id}/99`));
  await assert.rejects(run(changed), /as after a restore/);
});

test(`it can be of one organization or of a time, and a file of other options is refused, on ${engineName}`, async () => {
  await assert.rejects(run(file, { since: 1 }), /no export of this instance with these options/);
  const other = join(dataDir, 'other.txt');
  writeFileSync(other, 'no record\n');
  await assert.rejects(run(other), /no export of this instance/);
  const pipe = join(dataDir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await assert.rejects(run(pipe), /no regular file/);
  const { organizationId } = pair;
  const one = join(dataDir, 'one.jsonl');
  await run(one, { organizationId });
  assert.deepEqual([...new Set(activitiesIn(one).map((activity) => activity.organizationId))], [organizationId]);
  const later = join(dataDir, 'later.jsonl');
  assert.equal((await run(later, { since: Date.now() + 3_600_000 })).activities, 0);
});
