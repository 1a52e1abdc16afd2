import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { agreed, newPair } from '../activities/support.ts';
import { enabledProxy } from '../support/auth-proxy.ts';
import { type Client, ethereumAccount, freshTimestamp, newKeys, resultOf, submitPath, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';
import { inSnakeCase } from '../support/snake-case.ts';
import { approvedBy, newPolicy, newWallet, signing } from './authority.ts';

const instance = await sharedInstance();
const { root } = instance;

const bodyOf = (client: Client, type: string, parameters: object): string =>
  JSON.stringify(inSnakeCase(JSON.parse(client.bodyOf(type, parameters, { timestampMs: freshTimestamp(instance.clock.now()) }))));

const wallet = { walletName: 'Main', mnemonicLength: 24, accounts: [ethereumAccount()] };

test('a submit in snake_case: the stored body stays as it was signed, and all else is as of any other', async () => {
  const body = bodyOf(root, 'CREATE_WALLET', wallet);
  assert.match(body, /"timestamp_ms":.*"organization_id":.*"wallet_name":.*"address_format":/);
  const made = await root.send(submitPath('CREATE_WALLET'), body);
  const { walletId } = resultOf(made, 'createWalletResult');
  const { id, fingerprint, intent } = made.body.activity;
  assert.equal(fingerprint, `sha256:${createHash('sha256').update(body).digest('hex')}`);
  assert.deepEqual(intent, { createWalletIntent: wallet });
  assert.equal(made.headers.get('x-ignored-fields'), null);
  const again = await root.send(submitPath('CREATE_WALLET'), body);
  assert.deepEqual([again.body.activity.id, resultOf(again, 'createWalletResult').walletId], [id, walletId]);
  const ask = JSON.stringify({ organization_id: root.organizationId, activity_id: id });
  const shown = (await root.send('/public/v1/query/get_activity', ask)).body.activity;
  assert.deepEqual([shown.intent, shown.votes[0].message], [intent, body]);
  const listed = (await root.query('list_activities')).body.activities;
  assert.deepEqual(listed.find((one: { id: string }) => one.id === id).intent, intent);
});

test('where two must agree: the same body of both, an approval in snake_case, and a decoded body that is read later', async () => {
  const { clients } = await newPair(instance, 'Pair in snake case');
  const [one, other] = clients;
  const path = submitPath('CREATE_WALLET');
  const body = bodyOf(one, 'CREATE_WALLET', wallet);
  assert.equal((await one.send(path, body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  resultOf(await other.send(path, body), 'createWalletResult');
  const waiting = await one.send(path, bodyOf(one, 'CREATE_WALLET', { ...wallet, walletName: 'Second' }));
  const { fingerprint } = waiting.body.activity;
  const approved = await other.send(submitPath('APPROVE_ACTIVITY'), bodyOf(other, 'APPROVE_ACTIVITY', { fingerprint }));
  resultOf(approved, 'createWalletResult');
  assert.deepEqual(approved.body.activity.intent, { createWalletIntent: { ...wallet, walletName: 'Second' } });
  resultOf(await agreed({ clients }, 'CREATE_USER_TAG', { userTagName: 'After', userIds: [] }), 'createUserTagResult');
});

test('policies, simulation and explanations read the same parameters in both spellings', async () => {
  const { client, userId } = await instance.newUser('Signs one thing');
  const { addresses } = await newWallet(root);
  const path = submitPath('SIGN_RAW_PAYLOAD_V2');
  const condition = `activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL' && wallet_account.address == '${addresses[0]}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  const good = signing(addresses[0]!);
  const bad = { ...good, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8' };
  const simulated = async (parameters: object) => {
    const wanted = { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', parameters };
    const texts = [wanted, inSnakeCase(wanted) as object].map((more) => client.query('simulate_activity', more));
    const [camel, snake] = await Promise.all(texts);
    assert.deepEqual([snake!.status, snake!.text], [200, camel!.text]);
    return snake!.body.outcome;
  };
  assert.equal(await simulated(good), 'OUTCOME_ALLOW');
  assert.notEqual(await simulated(bad), 'OUTCOME_ALLOW');
  const signed = await client.send(path, bodyOf(client, 'SIGN_RAW_PAYLOAD_V2', good));
  const plain = await client.submit('SIGN_RAW_PAYLOAD_V2', good);
  assert.deepEqual(resultOf(signed, 'signRawPayloadResult'), resultOf(plain, 'signRawPayloadResult'));
  refused(await client.send(path, bodyOf(client, 'SIGN_RAW_PAYLOAD_V2', bad)), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
  const told = await root.query('get_policy_evaluations', { activityId: signed.body.activity.id });
  assert.equal(told.status, 200, told.text);
  assert.match(told.text, /OUTCOME_ALLOW/);
});

test('both spellings of one member are refused, and leave nothing', async () => {
  const path = submitPath('CREATE_WALLET');
  const before = (await root.query('list_activities')).body.activities.length;
  const parts = JSON.parse(root.bodyOf('CREATE_WALLET', wallet));
  const twice = (field: string, body: object) =>
    root
      .send(path, JSON.stringify(body))
      .then((answer) => refused(answer, [400, 'REQUEST_INVALID', /is given twice, as "(\w+)" and as "(\w+)"/], field));
  await twice('organizationId', { ...parts, organization_id: parts.organizationId });
  await twice('timestampMs', { ...parts, timestamp_ms: '1' });
  await twice('parameters.walletName', { ...parts, parameters: { ...wallet, wallet_name: 'Main' } });
  const accounts = [{ ...ethereumAccount(), address_format: 'ADDRESS_FORMAT_TRON' }];
  await twice('parameters.accounts[0].addressFormat', { ...parts, parameters: { ...wallet, accounts } });
  const asked = await root.query('whoami', { organization_id: root.organizationId });
  refused(asked, [400, 'REQUEST_INVALID', /is given twice/], 'organizationId');
  assert.equal((await root.query('list_activities')).body.activities.length, before);
  // Null is absent.
  assert.equal((await root.query('whoami', { organization_id: null })).status, 200);
});

test('names that are not declared stay unknown', async () => {
  const ignored = await root.query('whoami', { organization__id: 1, Organization_id: 2 });
  assert.equal(ignored.headers.get('x-ignored-fields'), 'organization__id, Organization_id');
});

test('the auth proxy takes both', async () => {
  const proxy = await enabledProxy(root);
  const keys = newKeys();
  const ask = { filterType: 'PUBLIC_KEY', filterValue: keys.publicKey };
  assert.deepEqual((await proxy.ask('account', inSnakeCase(ask) as object)).body, (await proxy.ask('account', ask)).body);
  const made = await proxy.ask('signup', inSnakeCase({ ...userWith('By snake', [keys]), organizationName: 'Snake' }) as object);
  assert.equal(made.status, 200, made.text);
  const found = await proxy.ask('account', { filter_type: 'PUBLIC_KEY', filter_value: keys.publicKey });
  assert.equal(found.body.organizationId, made.body.organizationId);
  refused(await proxy.ask('account', { ...ask, filter_type: 'EMAIL' }), [400, 'REQUEST_INVALID', /is given twice/], 'filterType');
});
