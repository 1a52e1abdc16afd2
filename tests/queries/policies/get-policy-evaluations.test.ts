import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { getPolicyEvaluations } from '../../../src/queries/policies/get-policy-evaluations.ts';
import { signWei, weiControl } from '../../activities/velocity-controls/spends.ts';
import { approvedBy } from '../../e2e/authority.ts';
import { cli } from '../../support/cli.ts';
import { type Client, ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

const newPolicy = async (client: Client, policyName: string, more: object): Promise<string> => {
  const policy = { policyName, effect: 'EFFECT_ALLOW', notes: '', ...more };
  return resultOf(await client.submit('CREATE_POLICY_V3', policy), 'createPolicyResult').policyId;
};
const wallet = (walletName: string) => ({ walletName, accounts: [] });

async function evaluationsOf(client: Client, activityId: string) {
  const { body } = await client.query('get_policy_evaluations', { activityId });
  assert.deepEqual(getPolicyEvaluations.result.parse(body), body, 'the answer has its declared shape');
  return body.policyEvaluations;
}

type Outcome = { policyId: string; outcome: string };
const outcomes = (list: Outcome[]) => Object.fromEntries(list.map(({ policyId, outcome }) => [policyId, outcome]));

test('what the root quorum did alone was not evaluated: one record for its vote, and nothing in it', async () => {
  const { activity } = (await instance.root.submit('CREATE_WALLET', wallet('Root'))).body;
  const [record, ...more] = await evaluationsOf(instance.root, activity.id);
  assert.deepEqual(more, []);
  const { createdAt, ...rest } = record;
  const [{ id }] = activity.votes;
  const { organizationId } = instance.root;
  assert.deepEqual(rest, { id, activityId: activity.id, organizationId, voteId: id, policyEvaluations: [] });
  assert.deepEqual(createdAt, activity.votes[0].createdAt);
});

test('each vote has its own record of what policies came to', async () => {
  const [a, b] = [await instance.newUser('A'), await instance.newUser('B')];
  const two = await newPolicy(instance.root, 'two of them', {
    condition: "activity.kind == 'CREATE_WALLET'",
    consensus: `approvers.count() >= 2 && approvers.all(user, user.id in ['${a.userId}', '${b.userId}'])`,
  });
  const deny = await newPolicy(instance.root, 'not this one', {
    effect: 'EFFECT_DENY',
    condition: "activity.kind == 'DELETE_USERS'",
  });
  const body = a.client.bodyOf('CREATE_WALLET', wallet('Both'));
  const first = await a.client.send(submitPath('CREATE_WALLET'), body);
  assert.equal(first.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', first.text);
  const { activity } = (await b.client.send(submitPath('CREATE_WALLET'), body)).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  const records = await evaluationsOf(a.client, activity.id);
  assert.deepEqual(
    records.map((record: { voteId: string }) => record.voteId),
    activity.votes.map((vote: { id: string }) => vote.id),
  );
  assert.equal(new Set(records.map((record: { id: string }) => record.id)).size, 2);
  const [before, after] = records.map((record: { policyEvaluations: Outcome[] }) => outcomes(record.policyEvaluations));
  assert.deepEqual(after, { [two]: 'OUTCOME_ALLOW', [deny]: 'OUTCOME_DENY_IMPLICIT' });
  assert.notEqual(before[two], 'OUTCOME_ALLOW');
});

test('a refusal is on record too, with the policy that denied, and why one could not be evaluated', async () => {
  const { client, userId } = await instance.newUser('Denied');
  const mine = approvedBy(userId);
  const deny = await newPolicy(instance.root, 'no keys', {
    effect: 'EFFECT_DENY',
    condition: "activity.kind == 'CREATE_PRIVATE_KEYS'",
    consensus: mine,
  });
  const fails = await newPolicy(instance.root, 'fails', {
    condition: "activity.kind == 'CREATE_PRIVATE_KEYS' && wallet.label == 'x'",
    consensus: mine,
  });
  const privateKey = { privateKeyName: 'No', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] };
  const answer = await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [privateKey] });
  assert.equal(answer.status, 403);
  const filter = { filterByStatus: ['ACTIVITY_STATUS_FAILED'], filterByType: ['ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2'] };
  const [{ id }] = (await client.query('list_activities', filter)).body.activities;
  const [record] = await evaluationsOf(client, id);
  const found = outcomes(record.policyEvaluations);
  assert.deepEqual([found[deny], found[fails]], ['OUTCOME_DENY_EXPLICIT', 'OUTCOME_ERROR']);
  const { reason } = record.policyEvaluations.find((e: Outcome) => e.policyId === fails);
  assert.match(reason, /wallet/);
});

type Explained = Outcome & { policyName?: string; effect?: string; note?: string; failedClause?: object; values?: object[] };

async function explainedOf(client: Client, activityId: string, vote = 0): Promise<Map<string, Explained>> {
  const list: Explained[] = (await evaluationsOf(client, activityId))[vote].policyEvaluations;
  return new Map(list.map((e) => [e.policyId, e]));
}

test('a refusal carries the activity’s id; each policy is explained by name, failed clause and values, until it is changed', async () => {
  const { client, userId } = await instance.newUser('Asks why');
  const mine = approvedBy(userId);
  const key = { walletName: 'Asked about', accounts: [ethereumAccount()] };
  const signWith = resultOf(await instance.root.submit('CREATE_WALLET', key), 'createWalletResult').addresses[0];
  const allow = await newPolicy(instance.root, 'only the vault', {
    condition: "activity.kind == 'SIGN_RAW_PAYLOAD' && wallet.label == 'Vault'",
    consensus: mine,
  });
  const deny = await newPolicy(instance.root, 'nothing that is hashed', {
    effect: 'EFFECT_DENY',
    condition: "activity.kind == 'SIGN_RAW_PAYLOAD' && activity.params.hash_function == 'HASH_FUNCTION_NO_OP'",
    consensus: mine,
  });
  const pinned = await newPolicy(instance.root, 'deletes', { condition: "activity.kind == 'DELETE_WALLETS'", consensus: mine });
  const payload = {
    signWith,
    payload: '11'.repeat(32),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  };
  const body = client.bodyOf('SIGN_RAW_PAYLOAD_V2', payload);
  const refusal = await client.send(submitPath('SIGN_RAW_PAYLOAD_V2'), body);
  assert.equal(refusal.status, 403);
  assert.equal(refusal.body.details[0].turnkeyErrorCode, 'REQUEST_NOT_AUTHORIZED');
  const { code, activityId } = refusal.body.details.at(-1);
  assert.equal(code, 'REQUEST_NOT_AUTHORIZED');
  const again = await client.send(submitPath('SIGN_RAW_PAYLOAD_V2'), body);
  assert.deepEqual(again.body, refusal.body, 'the same body, the same answer');
  const { activity } = (await client.query('get_activity', { activityId })).body;
  assert.deepEqual([activity.id, activity.status], [activityId, 'ACTIVITY_STATUS_FAILED']);

  const explained = await explainedOf(client, activityId);
  assert.deepEqual(explained.get(allow), {
    policyId: allow,
    outcome: 'OUTCOME_DENY_IMPLICIT',
    policyName: 'only the vault',
    effect: 'EFFECT_ALLOW',
    failedClause: { part: 'condition', text: "wallet.label == 'Vault'", line: 1, column: 40, result: 'false' },
    values: [
      { part: 'condition', path: 'activity.kind', value: '"SIGN_RAW_PAYLOAD"' },
      { part: 'condition', path: 'wallet.label', value: '"Asked about"' },
      ...explained.get(allow)!.values!.slice(2),
    ],
  });
  const denial = explained.get(deny)!;
  assert.deepEqual(
    [denial.outcome, denial.policyName, denial.failedClause],
    ['OUTCOME_DENY_EXPLICIT', 'nothing that is hashed', undefined],
  );
  const ruledOut = explained.get(pinned)!;
  assert.deepEqual(
    [ruledOut.outcome, (ruledOut.failedClause as { text: string }).text],
    ['OUTCOME_DENY_IMPLICIT', "activity.kind == 'DELETE_WALLETS'"],
  );

  instance.clock.advance(1000);
  resultOf(await instance.root.submit('UPDATE_POLICY_V2', { policyId: allow, policyNotes: 'changed' }), 'updatePolicyResultV2');
  resultOf(await instance.root.submit('DELETE_POLICY', { policyId: deny }), 'deletePolicyResult');
  const later = await explainedOf(client, activityId);
  assert.deepEqual(later.get(deny), {
    policyId: deny,
    outcome: 'OUTCOME_DENY_EXPLICIT',
    note: 'the policy was deleted after the decision',
  });
  assert.equal(later.get(allow)!.note, 'the policy was changed after the decision');
  assert.equal('failedClause' in later.get(allow)!, false);
});

test('what a policy looked at is gone: the outcome stays on record, and nothing is made up', async () => {
  const { client, userId } = await instance.newUser('Signs once');
  const made = resultOf(await instance.root.submit('CREATE_WALLET', wallet('Going')), 'createWalletResult');
  const allow = await newPolicy(instance.root, 'exports going', {
    condition: `activity.kind == 'EXPORT_WALLET' && wallet.label == 'Gone'`,
    consensus: approvedBy(userId),
  });
  const params = { walletId: made.walletId, targetPublicKey: `04${'11'.repeat(64)}` };
  const refusal = await client.submit('EXPORT_WALLET', params);
  assert.equal(refusal.status, 403, refusal.text);
  const { activityId } = refusal.body.details.at(-1);
  assert.equal((await explainedOf(client, activityId)).get(allow)!.note, undefined);
  const gone = { walletIds: [made.walletId], deleteWithoutExport: true };
  resultOf(await instance.root.submit('DELETE_WALLETS', gone), 'deleteWalletsResult');
  const later = (await explainedOf(client, activityId)).get(allow)!;
  assert.deepEqual(
    [later.outcome, later.note],
    ['OUTCOME_DENY_IMPLICIT', 'the data that the policy reads has changed since the decision'],
  );
});

test('a denial says which policy could not be evaluated, and why', async () => {
  const { client, userId } = await instance.newUser('Fails');
  const fails = await newPolicy(instance.root, 'fails again', {
    condition: "activity.kind == 'CREATE_USER_TAG' && wallet.label == 'x'",
    consensus: approvedBy(userId),
  });
  const refusal = await client.submit('CREATE_USER_TAG', { userTagName: 'No', userIds: [] });
  assert.equal(refusal.status, 403);
  assert.match(refusal.body.message, new RegExp(`Policy ${fails} could not be evaluated: .*wallet`));
});

test('a denial says that a DENY could not be evaluated, and what was absent only after what else failed', async () => {
  const { client, userId } = await instance.newUser('Fails in two ways');
  const consensus = `approvers.any(user, user.id == '${userId}')`;
  const outOfRange = "activity.kind[0..99] == 'x' && activity.kind == 'CREATE_USER_TAG'";
  for (const name of ['one', 'two', 'three'])
    await newPolicy(instance.root, `about wallets ${name}`, { condition: "wallet.label == 'x'", consensus });
  const allow = await newPolicy(instance.root, 'fails after those', { condition: outOfRange, consensus });
  const tag = { userTagName: 'No', userIds: [] };
  const implicit = await client.submit('CREATE_USER_TAG', tag);
  assert.match(implicit.body.message, new RegExp(`: Allow\\. Policy ${allow} could not be evaluated: condition: .*out of range`));
  assert.equal(implicit.body.message.split('could not be evaluated').length - 1, 3);

  const deny = await newPolicy(instance.root, 'denies by failing', { effect: 'EFFECT_DENY', condition: outOfRange, consensus });
  const explicit = await client.submit('CREATE_USER_TAG', tag);
  assert.equal(explicit.status, 403);
  assert.match(
    explicit.body.message,
    new RegExp(`denied this action: ${deny}\\. Policy ${deny} could not be evaluated: condition: [^:]*out of range`),
  );
  assert.equal(
    explicit.body.message.split('could not be evaluated').length - 1,
    1,
    'what failed and did not deny says nothing here',
  );
});

test('a refused approval is explained by what it would have approved, and a barred one by itself', async () => {
  const [a, b] = [await instance.newUser('Asks first'), await instance.newUser('Is refused')];
  const kind = "activity.kind == 'CREATE_USER_TAG'";
  const both = await newPolicy(instance.root, 'both of them', {
    condition: kind,
    consensus: `approvers.filter(user, user.id in ['${a.userId}', '${b.userId}']).count() >= 2`,
  });
  const mine = { effect: 'EFFECT_DENY', consensus: `approvers.any(user, user.id == '${b.userId}')` };
  const deny = await newPolicy(instance.root, 'not with this one', { ...mine, condition: kind });
  const other = await newPolicy(instance.root, 'no wallets', { ...mine, condition: "activity.kind == 'CREATE_WALLET'" });
  const waiting = await a.client.submit('CREATE_USER_TAG', { userTagName: 'Both', userIds: [] });
  const { id, fingerprint, status } = waiting.body.activity;
  assert.equal(status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', id);
  const explainedRefusal = async () => {
    const refusal = await b.client.submit('APPROVE_ACTIVITY', { fingerprint });
    assert.equal(refusal.status, 403, refusal.text);
    return explainedOf(b.client, refusal.body.details.at(-1).activityId);
  };
  const refused = await explainedRefusal();
  const came = (policyId: string) => [refused.get(policyId)!.outcome, refused.get(policyId)!.note];
  assert.deepEqual(came(both), ['OUTCOME_ALLOW', undefined]);
  assert.deepEqual(came(deny), ['OUTCOME_DENY_EXPLICIT', undefined]);
  const seen = refused.get(other)!.values as { path: string; value: string }[];
  assert.equal(seen.find(({ path }) => path === 'activity.kind')!.value, '"CREATE_USER_TAG"');

  const votes = "activity.type == 'ACTIVITY_TYPE_APPROVE_ACTIVITY'";
  const bar = await newPolicy(instance.root, 'no votes', { ...mine, condition: votes });
  const barred = (await explainedRefusal()).get(bar)!;
  assert.deepEqual([barred.outcome, barred.note], ['OUTCOME_DENY_EXPLICIT', undefined]);
  for (const policyId of [bar, deny, both])
    resultOf(await instance.root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
});

test('the parent reads them; elsewhere the activity is nothing', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const { activity } = (await sub.clients[0]!.submit('CREATE_WALLET', wallet('Theirs'))).body;
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await evaluationsOf(parent, activity.id)).length, 1);
  await hidesOthers(instance.root, 'get_policy_evaluations', 'activityId', activity.id, /activity not found/);
});

test('limits over time are explained as they were at the vote, also when their windows have passed', async () => {
  const { clients, organizationId } = await instance.newSubOrganization('Limited', 1, 1);
  const [root] = clients as [Client];
  const wallet = { walletName: 'W', accounts: [ethereumAccount()] };
  const [address] = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
  const control = weiControl('hourly', 10n, {}, { window: { rolling: { duration: '3600' } } });
  resultOf(await root.submit('CREATE_VELOCITY_CONTROL', control), 'createVelocityControlResult');
  const keys = newKeys();
  const users = [{ ...userWith('Limited', [keys]), userTags: [] }];
  const [userId] = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const client = root.as(keys, organizationId);
  const condition = "activity.action == 'SIGN' && controls.hourly";
  const allow = await newPolicy(root, 'within', { condition, consensus: approvedBy(userId) });
  const deny = await newPolicy(root, 'beyond', {
    effect: 'EFFECT_DENY',
    condition: '!controls.hourly',
    consensus: approvedBy(userId),
  });
  const signed = (await client.submit('SIGN_TRANSACTION_V2', signWei(address, 7n))).body.activity.id;
  const refused = await client.submit('SIGN_TRANSACTION_V2', signWei(address, 7n));
  assert.match(refused.body.message, /^velocity control hourly: /);
  const { activityId } = refused.body.details.at(-1);
  for (const passed of [0, 3_700_000]) {
    instance.clock.advance(passed);
    const [before, after] = [await explainedOf(client, signed), await explainedOf(client, activityId)];
    const told = [before.get(allow), after.get(allow), after.get(deny)].map((one) => [one!.outcome, one!.note]);
    const wanted = ['ALLOW', 'DENY_IMPLICIT', 'DENY_EXPLICIT'].map((name) => [`OUTCOME_${name}`, undefined]);
    assert.deepEqual(told, wanted);
    const failedClause = { part: 'condition', text: 'controls.hourly', line: 1, column: 30, result: 'false' };
    assert.deepEqual(after.get(allow)!.failedClause, failedClause);
  }
  const why = ['why', activityId, '--organization', organizationId, '--url', instance.url];
  const { out } = await cli([...why, '--credentials', join(instance.dataDir, 'root-credentials.json')]);
  assert.match(out, /: FAILED\n {2}velocity control hourly: \S+7 asked, \S+3 left of .*\n/);
  assert.match(out, / controls\.hourly is false\n/);
});
