import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getUsage } from '../../../src/queries/billing/get-usage.ts';
import { agreed, newPair } from '../../activities/support.ts';
import { type Client, ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { usageSummed } from '../../support/usage-summed.ts';
import { SELDOM, workerBeside } from '../../workers/usage-support.ts';

const instance = await sharedInstance(SELDOM);
const { root } = instance;
const worker = workerBeside(instance);

async function usageOf(client: Client, more: object = {}) {
  await usageSummed(instance.raw, () => worker.run());
  const { body, text } = await client.query('get_usage', { interval: 'DAY', ...more });
  assert.deepEqual(getUsage.result.parse(body), body, text);
  return body;
}

const NONE = { signatures: 0, sends: 0, messages: 0, activities: { completed: 0, failed: 0, rejected: 0 } };
const counts = (signatures: number, completed: number, failed = 0, rejected = 0) => ({
  ...{ ...NONE, signatures },
  activities: { completed, failed, rejected },
});

async function signer(client: Client): Promise<string> {
  const wallet = { walletName: 'Wallet', accounts: [ethereumAccount()] };
  return resultOf(await client.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses[0];
}

const plain = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' };

test('signatures, several at once, and activities by outcome: of a sub-organization its own, of its parent all', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Below', 1, 1);
  const below = clients[0]!;
  const before = await usageOf(root);
  const signWith = await signer(below);
  const sign = { signWith, payload: 'a', ...plain };
  resultOf(await below.submit('SIGN_RAW_PAYLOAD_V2', sign), 'signRawPayloadResult');
  resultOf(await below.submit('SIGN_RAW_PAYLOADS', { signWith, payloads: ['a', 'b', 'c'], ...plain }), 'signRawPayloadsResult');
  assert.equal((await below.submit('SIGN_RAW_PAYLOAD_V2', { ...sign, signWith: `0x${'1'.repeat(40)}` })).status, 404);
  const own = await usageOf(below);
  assert.deepEqual(own.total, counts(4, 3, 1));
  const today = new Date(instance.clock.now()).toISOString().slice(0, 10);
  assert.deepEqual(own.usage, [{ from: today, ...own.total }]);
  assert.deepEqual(own.subOrganizations, []);
  const all = await usageOf(root, { paginationOptions: { limit: '100' } });
  assert.equal(all.total.signatures - before.total.signatures, 4);
  assert.equal(all.total.activities.completed - before.total.activities.completed, 3);
  assert.deepEqual(
    all.subOrganizations.find((one: { organizationId: string }) => one.organizationId === organizationId),
    { organizationId, ...own.total },
  );
  const month = await usageOf(below, { interval: 'MONTH' });
  assert.deepEqual([month.usage[0].from, month.total], [`${today.slice(0, 7)}-01`, own.total]);
  const asParent = root.as(root.keys, organizationId);
  assert.deepEqual((await usageOf(asParent)).total, own.total);
});

test('an activity that waited counts once, when it has ended, and as what it ended', async () => {
  const pair = await newPair(instance, 'Waiting');
  const [first, second] = pair.clients;
  const made = await agreed(pair, 'CREATE_WALLET', { walletName: 'Wallet', accounts: [ethereumAccount()] });
  const { addresses } = made.body.activity.result.createWalletResult;
  const { total: before } = await usageOf(first);
  const sign = { signWith: addresses[0], payload: 'a', ...plain };
  const body = first.bodyOf('SIGN_RAW_PAYLOAD_V2', sign);
  const path = '/public/v1/submit/sign_raw_payload';
  const waiting = await first.send(path, body);
  assert.deepEqual((await usageOf(first)).total, before, 'it waits');
  assert.equal((await second.send(path, body)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  const after = (await usageOf(first)).total;
  assert.equal(after.signatures, before.signatures + 1);
  assert.equal(after.activities.completed, before.activities.completed + 1);
  assert.equal((await first.send(path, body)).body.activity.id, waiting.body.activity.id);
  const other = await first.submit('SIGN_RAW_PAYLOAD_V2', { ...sign, payload: 'b' });
  const { fingerprint } = other.body.activity;
  assert.equal((await second.submit('REJECT_ACTIVITY', { fingerprint })).status, 200);
  const { total } = await usageOf(first);
  assert.deepEqual(total.activities, {
    completed: after.activities.completed + 1,
    failed: after.activities.failed,
    rejected: after.activities.rejected + 1,
  });
  assert.equal(total.signatures, after.signatures);
});

test('a vote that was refused, and is then sent by a user who may vote, counts once', async () => {
  const pair = await newPair(instance, 'Votes');
  const [first, second] = pair.clients;
  const waiting = await first.submit('CREATE_USER_TAG', { userTagName: 'tag', userIds: [] });
  const vote = first.bodyOf('APPROVE_ACTIVITY', { fingerprint: waiting.body.activity.fingerprint });
  const { activities: before } = (await usageOf(first)).total;
  assert.equal((await pair.outsider.send('/public/v1/submit/approve_activity', vote)).status, 403);
  assert.equal((await usageOf(first)).total.activities.failed, before.failed + 1);
  assert.equal((await second.send('/public/v1/submit/approve_activity', vote)).status, 200);
  const { activities: after } = (await usageOf(first)).total;
  assert.deepEqual(after, { ...before, failed: before.failed + 1, completed: before.completed + 1 }, 'the tag, and the vote');
});

test('a deleted sub-organization stays in the usage of its parent, and leaves no rows', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Deleted', 1, 1);
  await signer(clients[0]!);
  const { total: before } = await usageOf(root);
  const gone = await clients[0]!.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true });
  assert.equal(gone.status, 200, gone.text);
  const { total } = await usageOf(root);
  assert.equal(total.activities.completed, before.activities.completed + 1);
  const rows = await instance.raw('SELECT organization_id FROM usage_counts');
  const ids = rows.map(({ organization_id: id }) => (Buffer.isBuffer(id) ? id.toString('hex') : String(id).replaceAll('-', '')));
  assert.ok(!ids.includes(organizationId.replaceAll('-', '')));
});

test('ranges that are too long, or end before they begin, are refused', async () => {
  const ask = (more: object) => root.query('get_usage', more);
  refused(await ask({ interval: 'DAY', from: '2026-01-02', to: '2026-01-01' }), [
    400,
    'REQUEST_INVALID',
    /from: must not be after to/,
  ]);
  refused(await ask({ interval: 'DAY', from: '2026-01-01', to: '2026-06-01' }), [400, 'REQUEST_INVALID', /at most 100 days/]);
  refused(await ask({ interval: 'MONTH', from: '2020-01-01', to: '2026-06-01' }), [400, 'REQUEST_INVALID', /at most 25 months/]);
  refused(await ask({ interval: 'DAY', from: '2026-02-30' }), [400, 'REQUEST_INVALID', /from: must be a day/]);
  assert.deepEqual((await usageOf(root, { from: '2020-01-01', to: '2020-01-31' })).total, NONE);
});
