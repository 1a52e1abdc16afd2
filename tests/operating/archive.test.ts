import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import { approvedBy } from '../e2e/authority.ts';
import { type Archiving, DAY, dayOf, startArchiving } from '../support/archiving.ts';
import { type Answer, type Client, ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../support/client.ts';
import { engineName } from '../support/database.ts';

let service: Archiving;
after(() => service.close());

/** A body that was sent, by whom, and what becomes of it when it is sent again. */
type Sent = { name: string; client: Client; path: string; body: string; activityId: string; again: Answer; shown: Answer };

const sent: Sent[] = [];
let cutoff: string;
let pair: { organizationId: string; first: Client; second: Client };
let waiting: { fingerprint: string; id: string };
let stranger: Client;

const activityIdOf = ({ body }: Answer): string => body.activity?.id ?? body.details.at(-1).activityId;

/** Submits once, as a new body. */
async function submitted(name: string, client: Client, type: string, parameters: object): Promise<Answer> {
  const [path, body] = [submitPath(type), client.bodyOf(type, parameters)];
  const answer = await client.send(path, body);
  const row = { name, client, path, body, activityId: activityIdOf(answer) };
  if (type.endsWith('_ACTIVITY')) {
    // A vote is answered with its target.
    const filter = { filterByType: [`ACTIVITY_TYPE_${type}`], paginationOptions: { limit: '1' } };
    row.activityId = (await client.query('list_activities', filter)).body.activities[0].id;
  }
  sent.push({ ...row, again: answer, shown: answer });
  return answer;
}

const shownTo = (client: Client, activityId: string): Promise<Answer> => client.query('get_activity', { activityId });

before(async () => {
  service = await startArchiving();
  const { root } = service;
  const keys = newKeys();
  const { userIds } = resultOf(
    await submitted('users', root, 'CREATE_USERS_V4', { users: [{ ...userWith('Ann', [keys]), userTags: [] }] }),
    'createUsersResult',
  );
  const ann = root.as(keys);
  const wallet = await submitted('wallet', root, 'CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
  const [address] = resultOf(wallet, 'createWalletResult').addresses;
  const payload = { payload: '00ff', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
  await submitted('signature', root, 'SIGN_RAW_PAYLOAD_V2', { signWith: address, ...payload });
  await submitted('older version', root, 'CREATE_POLICY_V3', {
    policyName: 'Ann makes tags',
    effect: 'EFFECT_ALLOW',
    condition: "activity.resource == 'USER_TAG' && activity.action == 'DELETE'",
    consensus: approvedBy(userIds[0]),
    notes: '',
  });
  await submitted('refusal', ann, 'CREATE_USER_TAG', { userTagName: 'Mine', userIds: [] });

  const both = [newKeys(), newKeys()] as const;
  const made = await submitted('sub-organization', root, 'CREATE_SUB_ORGANIZATION_V8', {
    subOrganizationName: 'Pair',
    rootQuorumThreshold: 2,
    rootUsers: both.map((one, i) => userWith(`User ${i}`, [one])),
  });
  const organizationId = resultOf(made, 'createSubOrganizationResultV8').subOrganizationId;
  pair = { organizationId, first: root.as(both[0], organizationId), second: root.as(both[1], organizationId) };
  const { first, second } = pair;
  const agreed = await submitted('agreed', first, 'CREATE_WALLET', { walletName: 'Agreed', accounts: [] });
  await submitted('approval', second, 'APPROVE_ACTIVITY', { fingerprint: agreed.body.activity.fingerprint });
  const rejected = await submitted('rejected', first, 'CREATE_WALLET', { walletName: 'Rejected', accounts: [] });
  await submitted('rejection', second, 'REJECT_ACTIVITY', { fingerprint: rejected.body.activity.fingerprint });
  waiting = (await first.submit('CREATE_WALLET', { walletName: 'Waiting', accounts: [] })).body.activity;

  const other = newKeys();
  const foreign = resultOf(
    await root.submit('CREATE_SUB_ORGANIZATION_V8', {
      subOrganizationName: 'Others',
      rootQuorumThreshold: 1,
      rootUsers: [userWith('Stranger', [other])],
    }),
    'createSubOrganizationResultV8',
  ).subOrganizationId;
  stranger = root.as(other, foreign);
  service.toPresent();
  await root.submit('CREATE_USER_TAG', { userTagName: 'New', userIds: [] });
  for (const one of sent) {
    one.again = await one.client.send(one.path, one.body);
    one.shown = await shownTo(one.client, one.activityId);
  }
  cutoff = dayOf(Date.now() - 5 * DAY);
});

const rows = async (table: string) => Number((await service.raw(`SELECT count(*) AS n FROM ${table}`))[0]!.n);

const evaluationsOf = async ({ client, activityId }: Sent) =>
  (await client.query('get_policy_evaluations', { activityId })).body.policyEvaluations;

test('a dry run says how much, and changes nothing', async () => {
  const counts = await Promise.all(['activities', 'votes', 'audit'].map(rows));
  const { code, text, complaint } = await service.archive(['--before', cutoff, '--dry-run', '--json']);
  assert.equal(code, 0, complaint);
  const told = JSON.parse(text);
  // All but the one that waits and the one of today; the stranger's organization was made too.
  assert.equal(told.activities, sent.length + 1);
  assert.ok(told.bytes > 1000 && told.oldest < told.newest && told.newest < cutoff, text);
  assert.deepEqual(await Promise.all(['activities', 'votes', 'audit'].map(rows)), counts);
  assert.equal(await rows('archived_fingerprints'), 0);
});

test('an archived activity is found as before: by its body, by its id, with its votes and evaluations', async () => {
  const refusal = sent.find(({ name }) => name === 'refusal')!;
  const evaluations = await evaluationsOf(refusal);
  assert.equal(evaluations[0].policyEvaluations.length, 1);
  const { code, text, complaint } = await service.archiveBetween(['--before', cutoff]);
  assert.equal(code, 0, complaint);
  assert.match(text, new RegExp(`^archived ${sent.length + 1} activities`));
  assert.match(complaint, /^\d+ activities archived/);
  assert.equal(await rows('activities'), 2);
  assert.equal(await rows('votes'), 0);
  assert.equal(await rows('audit'), 0);
  for (const { name, client, path, body, activityId, again, shown } of sent) {
    assert.equal((await shownTo(client, activityId)).text, shown.text, name);
    const repeated = await client.send(path, body);
    assert.deepEqual([repeated.status, repeated.text], [again.status, again.text], name);
    assert.equal((await shownTo(stranger, activityId)).status, 404, name);
  }
  assert.equal(refusal.again.status, 403);
  assert.deepEqual(await evaluationsOf(refusal), evaluations);
  assert.equal(await rows('activities'), 2, 'nothing ran again');
  // To a user who may, the refused activity is shown, as before.
  const seen = await service.root.send(refusal.path, refusal.body);
  assert.equal(seen.body.activity.status, 'ACTIVITY_STATUS_FAILED');
});

test('lists omit archived activities; waiting ones go on', async () => {
  const { first, second } = pair;
  const { activities } = (await first.query('list_activities')).body;
  assert.deepEqual(
    activities.map(({ id, status }: { id: string; status: string }) => [id, status]),
    [[waiting.id, 'ACTIVITY_STATUS_CONSENSUS_NEEDED']],
  );
  const nothing = await service.archiveBetween(['--before', cutoff, '--json']);
  assert.equal(JSON.parse(nothing.text).activities, 0);
  // The submitter's approval is too old to count, so one more is not enough.
  const { activity } = (await second.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint })).body;
  assert.deepEqual([activity.status, activity.votes.length], ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 2]);
});

test('a vote on an archived activity is refused as on any finished one', async () => {
  const agreed = sent.find(({ name }) => name === 'agreed')!;
  const { fingerprint } = agreed.again.body.activity;
  const { status, body } = await pair.second.submit('REJECT_ACTIVITY', { fingerprint });
  assert.equal(status, 403);
  assert.match(body.message, /has ended and accepts no more votes/);
});

const DETACHED = ['activities', 'votes', 'audit'].map((table) => `archived_${table}`);

/** Takes the archive away as an operator would, and brings it back. */
async function detached(): Promise<() => Promise<void>> {
  if (engineName === 'sqlite') {
    const file = join(service.dataDir, 'archive.db');
    const moved = async (from: string, to: string) => {
      await service.stop();
      renameSync(from, to);
      await service.start();
    };
    await moved(file, `${file}.away`);
    return () => moved(`${file}.away`, file);
  }
  const bounds = `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_class c
    JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = $1::regclass`;
  const ofTable = async (whole: string) => (await service.raw(bounds, whole)).map((part) => ({ whole, ...part }));
  const parts = (await Promise.all(DETACHED.map(ofTable))).flat() as { whole: string; name: string; bounds: string }[];
  assert.match(parts[0]!.name, /^archived_activities_\d{4}_\d\d$/);
  for (const { whole, name } of parts) await service.raw(`ALTER TABLE ${whole} DETACH PARTITION ${name} CONCURRENTLY`);
  return async () => {
    for (const { whole, name, bounds } of parts) await service.raw(`ALTER TABLE ${whole} ATTACH PARTITION ${name} ${bounds}`);
  };
}

test('a body whose archive is elsewhere never runs again, and its activity is not found', async () => {
  const before = await rows('activities');
  const attach = await detached();
  try {
    for (const { name, client, path, body, activityId } of sent) {
      const { status, body: answer } = await client.send(path, body);
      assert.equal(status, 400, name);
      assert.equal(answer.code, 9, name);
      assert.match(answer.message, /was archived/);
      const { '@type': _, ...detail } = answer.details.at(-1);
      assert.deepEqual(detail, { code: 'ACTIVITY_ARCHIVED', activityId }, name);
      assert.equal((await shownTo(client, activityId)).status, 404, name);
    }
  } finally {
    await attach();
  }
  assert.equal(await rows('activities'), before);
  for (const { name, client, activityId, shown } of sent)
    assert.equal((await shownTo(client, activityId)).text, shown.text, name);
});

test('a second run adds to the archive that is there', async () => {
  const { first } = pair;
  await first.submit('REJECT_ACTIVITY', { fingerprint: waiting.fingerprint });
  const shown = await shownTo(first, waiting.id);
  assert.equal(shown.body.activity.status, 'ACTIVITY_STATUS_REJECTED');
  await service.raw('UPDATE activities SET updated_at = created_at');
  const { text, complaint } = await service.archiveBetween(['--before', cutoff, '--json']);
  assert.equal(JSON.parse(text).activities, 1, complaint);
  const { updatedAt: _, ...now } = (await shownTo(first, waiting.id)).body.activity;
  const { updatedAt: __, ...then } = shown.body.activity;
  assert.deepEqual(now, then);
  for (const { name, client, activityId, shown } of sent)
    assert.equal((await shownTo(client, activityId)).text, shown.text, name);
});

test('SQLite: the command says that a service uses the database', {
  skip: engineName !== 'sqlite' && 'about SQLite',
}, async () => {
  const { code, complaint } = await service.archive(['--before', cutoff]);
  assert.equal(code, 1);
  assert.match(complaint, /another process already uses this data folder: it holds the lock .*\. Stop it/);
});

test('SQLite: the freed space is given back', { skip: engineName !== 'sqlite' && 'about SQLite' }, async () => {
  await service.stop();
  const free = () => {
    const db = new Database(join(service.dataDir, 'countersign.db'), { readonly: true });
    try {
      return db.pragma('freelist_count', { simple: true });
    } finally {
      db.close();
    }
  };
  const { code, text, complaint } = await service.archive(['--before', cutoff, '--compact', '--json']);
  assert.equal(code, 0, complaint);
  const { compacted } = JSON.parse(text);
  assert.ok(compacted.after <= compacted.before, text);
  assert.equal(free(), 0);
  await service.start();
  assert.equal((await shownTo(service.root, sent[0]!.activityId)).text, sent[0]!.shown.text);
});
