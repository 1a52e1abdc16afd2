import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthOf, type QuotaLevel } from '../../../src/model/usage.ts';
import { newPair } from '../../activities/support.ts';
import { type Client, ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { usageSummed } from '../../support/usage-summed.ts';
import { SELDOM, workerBeside } from '../../workers/usage-support.ts';

const instance = await sharedInstance(SELDOM);
const { root, engine } = instance;
const worker = workerBeside(instance);

const plain = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' };

async function signer(client: Client): Promise<string> {
  const wallet = { walletName: 'Wallet', accounts: [ethereumAccount()] };
  return resultOf(await client.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses[0];
}

async function limit(organizationId: string, signatures: number, level: QuotaLevel = ''): Promise<void> {
  const now = engine.clock.now();
  const quota = { organizationId, signatures, used: 0, level, endsAt: monthOf(now, 1), createdAt: now, updatedAt: now };
  await engine.store.transaction((tx) => tx.quotas.put(quota));
}

async function below(name: string) {
  const { organizationId, clients } = await instance.newSubOrganization(name, 1, 1);
  const client = clients[0]!;
  const signWith = await signer(client);
  const sign = (payload: string) => client.submit('SIGN_RAW_PAYLOAD_V2', { signWith, payload, ...plain });
  return { organizationId, client, signWith, sign };
}

const over = (about: RegExp) => [429, 'SIGNING_QUOTA_EXCEEDED', about] as const;
const countOf = async (organizationId: string) =>
  (await engine.store.read.activities.list(organizationId, {}, { limit: 100 })).length;

test('an organization signs up to its quota, as far as its signatures are summed, and again in the next month', async () => {
  const { organizationId, client, signWith, sign } = await below('Limited');
  await limit(organizationId, 3);
  for (const payload of ['a', 'b', 'c']) resultOf(await sign(payload), 'signRawPayloadResult');
  await usageSummed(instance.raw, () => worker.run());
  const before = await countOf(organizationId);
  const answer = await sign('d');
  refused(answer, [...over(/because it has used its quota of signatures until \d{4}-/)]);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  const several = await client.submit('SIGN_RAW_PAYLOADS', { signWith, payloads: ['a'], ...plain });
  refused(several, [...over(/quota/)]);
  assert.equal(await countOf(organizationId), before, 'no activity stores the refusal');
  assert.equal((await client.query('get_usage', { interval: 'DAY' })).body.quota.used, 3);
  resultOf(await client.submit('CREATE_USER_TAG', { userTagName: 'tag', userIds: [] }), 'createUserTagResult');
  const next = monthOf(instance.clock.now(), 1) - instance.clock.now();
  instance.clock.advance(next + 1000);
  resultOf(await sign('e'), 'signRawPayloadResult');
  assert.equal((await client.query('get_usage', { interval: 'DAY' })).body.quota.used, 0);
});

test('a body that was refused is signed once the quota is raised', async () => {
  const { organizationId, client, signWith } = await below('Raised');
  await limit(organizationId, 0, 'over');
  const body = client.bodyOf('SIGN_RAW_PAYLOAD_V2', { signWith, payload: 'a', ...plain });
  refused(await client.send('/public/v1/submit/sign_raw_payload', body), [...over(/quota/)]);
  await limit(organizationId, 10);
  assert.equal((await client.send('/public/v1/submit/sign_raw_payload', body)).status, 200);
});

test("a parent's quota is that of all its sub-organizations, which are told whose it is", async () => {
  const { sign } = await below('Of a parent');
  resultOf(await sign('a'), 'signRawPayloadResult');
  await limit(root.organizationId, 1);
  resultOf(await sign('b'), 'signRawPayloadResult');
  await usageSummed(instance.raw, () => worker.run());
  refused(await sign('c'), [...over(new RegExp(`because its parent organization \\("${root.organizationId}"\\) has used`))]);
  await engine.store.transaction((tx) => tx.quotas.remove(root.organizationId));
  resultOf(await sign('c'), 'signRawPayloadResult');
});

test('an activity waits on while its organization is over its quota', async () => {
  const pair = await newPair(instance, 'Waiting');
  const [first, second] = pair.clients;
  const path = '/public/v1/submit/create_wallet';
  const make = first.bodyOf('CREATE_WALLET', { walletName: 'Wallet', accounts: [ethereumAccount()] });
  await first.send(path, make);
  const { addresses } = (await second.send(path, make)).body.activity.result.createWalletResult;
  await limit(pair.organizationId, 0, 'over');
  const body = first.bodyOf('SIGN_RAW_PAYLOAD_V2', { signWith: addresses[0], payload: 'a', ...plain });
  const { activity } = (await first.send('/public/v1/submit/sign_raw_payload', body)).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  refused(await second.send('/public/v1/submit/sign_raw_payload', body), [...over(/quota/)]);
  await limit(pair.organizationId, 10);
  const done = await second.send('/public/v1/submit/sign_raw_payload', body);
  assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
});
