import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count } from '../activities/support.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import {
  activityOf,
  approvedBy,
  denied,
  newPolicy,
  newTag,
  newWallet,
  type PolicyText,
  policyParameters,
  signing,
  waitingIn,
} from './authority.ts';

const instance = await sharedInstance();
const { root } = instance;

const IMPLICIT = /No policies evaluated to outcome: Allow/;

/** A user, and a wallet with two accounts that only the root user may use. */
async function signer(name: string) {
  const { client, userId } = await instance.newUser(name);
  const { walletId, addresses } = await newWallet(root, 2);
  const consensus = approvedBy(userId);
  const sign = (address = addresses[0]!, payload?: string) => client.submit('SIGN_RAW_PAYLOAD_V2', signing(address, payload));
  return { client, userId, walletId, addresses: addresses as [string, string], consensus, sign };
}

const typedData = (verifyingContract: string, message = { to: '0x1111111111111111111111111111111111111111', amount: '7' }) =>
  JSON.stringify({
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Transfer: [
        { name: 'to', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    primaryType: 'Transfer',
    domain: { name: 'Token', chainId: 1, verifyingContract },
    message,
  });

const typed = (signWith: string, payload: string) => ({
  signWith,
  payload,
  encoding: 'PAYLOAD_ENCODING_EIP712',
  hashFunction: 'HASH_FUNCTION_NO_OP',
});

const signed = (answer: Parameters<typeof resultOf>[0]) => resultOf(answer, 'signRawPayloadResult');

type Evaluation = { policyId: string; outcome: string; reason?: string };
type Evaluated = { voteId: string; policyEvaluations: Evaluation[] };

/** The evaluations of each vote. */
async function evaluations(activityId: string): Promise<Evaluated[]> {
  const answer = await root.query('get_policy_evaluations', { activityId });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.policyEvaluations;
}

const outcomeOf = (list: readonly Evaluation[], policyId: string) => list.find((each) => each.policyId === policyId);

describe('an ALLOW gives rights', () => {
  test('one wallet', async () => {
    const { client, sign, walletId, addresses, consensus } = await signer('By wallet');
    const other = await newWallet(root);
    denied(await sign(), IMPLICIT);
    await newPolicy(root, { condition: `activity.action == 'SIGN' && wallet.id == '${walletId}'`, consensus });
    for (const address of addresses) signed(await sign(address));
    denied(await sign(other.addresses[0]), IMPLICIT);
    denied(await client.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: [ethereumAccount(7)] }), IMPLICIT);
    denied(await client.submit('CREATE_WALLET', { walletName: 'No', accounts: [] }), IMPLICIT);
  });

  test('one account of it, by its address', async () => {
    const { sign, addresses, consensus } = await signer('By account');
    await newPolicy(root, { condition: `wallet_account.address == '${addresses[0]}'`, consensus });
    signed(await sign(addresses[0]));
    denied(await sign(addresses[1]), IMPLICIT);
    // An address compares as the text that was given: the index and the evaluation agree on that.
    denied(await sign('0x0000000000000000000000000000000000000001'), IMPLICIT);
  });

  test('typed data for one contract, and no other payload', async () => {
    const { client, sign, addresses, consensus } = await signer('By contract');
    const contract = '0xAbcdef0123456789aBcDeF0123456789abcdef01';
    const condition = `eth.eip_712.domain.verifying_contract == '${contract.toLowerCase()}' && eth.eip_712.message['amount'] < 10`;
    const policyId = await newPolicy(root, { condition, consensus });
    const submit = (payload: string) => client.submit('SIGN_RAW_PAYLOAD_V2', typed(addresses[0], payload));
    const contractText = contract.toLowerCase();
    const { r } = signed(await submit(typedData(contractText)));
    assert.match(r, /^[0-9a-f]{64}$/);
    denied(await submit(typedData(`0x${'22'.repeat(20)}`)), IMPLICIT);
    denied(await submit(typedData(contractText, { to: `0x${'11'.repeat(20)}`, amount: '10' })), IMPLICIT);
    denied(await sign(), IMPLICIT);
    const { activities } = (await client.query('list_activities', { paginationOptions: { limit: '1' } })).body;
    const [{ policyEvaluations }] = (await evaluations(activities[0].id)) as [Evaluated];
    const found = outcomeOf(policyEvaluations, policyId)!;
    assert.equal(found.outcome, 'OUTCOME_ERROR', 'there is no typed data in a raw payload');
    assert.match(found.reason!, /^condition: .*\(line 1, column 1\)$/);
  });

  test('to users with a tag', async () => {
    const { sign, userId, walletId } = await signer('By tag');
    const tagId = await newTag(root, [userId]);
    const consensus = `approvers.any(u, u.tags.contains('${tagId}'))`;
    await newPolicy(root, { condition: `wallet.id == '${walletId}'`, consensus });
    signed(await sign());
    const parameters = { userTagId: tagId, addUserIds: [], removeUserIds: [userId] };
    resultOf(await root.submit('UPDATE_USER_TAG', parameters), 'updateUserTagResult');
    denied(await sign(), IMPLICIT);
  });

  test('while its time window is open', async () => {
    const { sign, walletId, consensus } = await signer('By time');
    const until = new Date(instance.clock.now() + 60_000).toISOString();
    const time = `time.now < Timestamp('${until}')`;
    await newPolicy(root, { condition: `wallet.id == '${walletId}'`, consensus, time });
    signed(await sign());
    instance.clock.advance(60_001);
    denied(await sign(), IMPLICIT);
  });
});

describe('a DENY', () => {
  test('goes before every ALLOW and is named, with what the others came to', async () => {
    const { client, sign, walletId, addresses, consensus } = await signer('Denied');
    const allow = await newPolicy(root, { condition: `wallet.id == '${walletId}'`, consensus });
    const deny = (): Promise<string> =>
      newPolicy(root, { effect: 'EFFECT_DENY', condition: `wallet_account.address == '${addresses[0]}'` });
    const ids = [await deny(), await deny()];
    const answer = await sign(addresses[0]);
    denied(answer);
    assert.ok(answer.body.message.includes(`The following policies denied this action: ${ids.join(', ')}`), answer.body.message);
    const detail = answer.body.details.find((each: { '@type': string }) => each['@type'].endsWith('PolicyEnginePermissionError'));
    assert.equal(detail.message, `The following policies denied this action: ${ids.join(', ')}`);
    const outcomes = detail.policyEvaluations.filter((each: Evaluation) => [allow, ...ids].includes(each.policyId));
    assert.deepEqual(outcomes, [
      { policyId: allow, outcome: 'OUTCOME_ALLOW' },
      { policyId: ids[0], outcome: 'OUTCOME_DENY_EXPLICIT' },
      { policyId: ids[1], outcome: 'OUTCOME_DENY_EXPLICIT' },
    ]);
    signed(await sign(addresses[1]));
    // The refusal stays on record, and the same body is refused again.
    const { activities } = (await client.query('list_activities', { paginationOptions: { limit: '2' } })).body;
    assert.equal(activities[1].status, 'ACTIVITY_STATUS_FAILED');
    assert.equal(activities[1].failure.code, 7);
    resultOf(await root.submit('DELETE_POLICIES', { policyIds: ids }), 'deletePoliciesResult');
    signed(await sign(addresses[0]));
  });

  test('about a transaction does not concern a raw payload; one that fails otherwise denies', async () => {
    const { sign, walletId, consensus } = await signer('About transactions');
    await newPolicy(root, { condition: `wallet.id == '${walletId}'`, consensus });
    const forTransactions = await newPolicy(root, { effect: 'EFFECT_DENY', condition: 'eth.tx.value > 5' });
    signed(await sign());
    const pinned = `wallet.id == '${walletId}' && wallet_account.path_indexes[99] == 0`;
    const failing = await newPolicy(root, { effect: 'EFFECT_DENY', condition: pinned });
    const refused = await sign();
    denied(refused, new RegExp(`The following policies denied this action: ${failing}`));
    const { activities } = (await root.query('list_activities', { paginationOptions: { limit: '1' } })).body;
    const [{ policyEvaluations }] = (await evaluations(activities[0].id)) as [Evaluated];
    assert.match(outcomeOf(policyEvaluations, failing)!.reason!, /^condition: .*\(line 1, column \d+\)$/);
    assert.equal(outcomeOf(policyEvaluations, forTransactions)!.outcome, 'OUTCOME_ERROR');
    resultOf(await root.submit('DELETE_POLICIES', { policyIds: [failing, forTransactions] }), 'deletePoliciesResult');
  });

  test('a root user alone is not bound by it', async () => {
    const { walletId, addresses } = await signer('Root');
    await newPolicy(root, { effect: 'EFFECT_DENY', condition: `wallet.id == '${walletId}'` });
    signed(await root.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0])));
  });
});

test('an ALLOW that cannot be evaluated never allows, and another one still does', async () => {
  const { sign, walletId, consensus } = await signer('Errors');
  const wallet = `wallet.id == '${walletId}'`;
  await newPolicy(root, { condition: `${wallet} && (true || wallet_account.path_indexes[99] == 0)`, consensus });
  await newPolicy(root, { condition: `wallet.id == '${walletId}' || private_key.id == 'x'`, consensus });
  await newPolicy(root, { condition: wallet, consensus: `${consensus} && approvers[7].id != ''` });
  denied(await sign(), IMPLICIT);
  await newPolicy(root, { condition: wallet, consensus });
  signed(await sign());
});

test('of a batch every element must be allowed', async () => {
  const { client, addresses, walletId, consensus } = await signer('Batches');
  const contracts = ['33', '44', '55'].map((byte) => `0x${byte.repeat(20)}`);
  const allow = (contract: string): PolicyText => ({
    condition: `wallet.id == '${walletId}' && eth.eip_712.domain.verifying_contract == '${contract}'`,
    consensus,
  });
  await newPolicy(root, allow(contracts[0]!));
  const submit = (names: readonly string[]) => {
    const { payload: _, ...rest } = typed(addresses[0], '');
    return client.submit('SIGN_RAW_PAYLOADS', { ...rest, payloads: names.map((name) => typedData(name)) });
  };
  const [a, b, c] = contracts as [string, string, string];
  assert.equal(resultOf(await submit([a, a]), 'signRawPayloadsResult').signatures.length, 2);
  for (const names of [[b], [a, b], [b, a], [a, a, b, a]]) denied(await submit(names), IMPLICIT);
  await newPolicy(root, allow(b));
  assert.equal(resultOf(await submit([a, b]), 'signRawPayloadsResult').signatures.length, 2, 'by two policies');
  const deny = await newPolicy(root, {
    effect: 'EFFECT_DENY',
    condition: `activity.kind == 'SIGN_RAW_PAYLOADS' && eth.eip_712.domain.verifying_contract == '${b}'`,
  });
  denied(await submit([a, b]), new RegExp(deny));
  assert.equal(resultOf(await submit([a, a]), 'signRawPayloadsResult').signatures.length, 2);
  denied(await submit([a, c]), IMPLICIT);
  resultOf(await root.submit('DELETE_POLICIES', { policyIds: [deny] }), 'deletePoliciesResult');
});

test('get_policy_evaluations has one record for each vote, with what policies came to then', async () => {
  const [ann, ben] = [await instance.newUser('Ann'), await instance.newUser('Ben')];
  const tagId = await newTag(root, [ann.userId, ben.userId]);
  const { walletId, addresses } = await newWallet(root);
  const policyId = await newPolicy(root, {
    condition: `wallet.id == '${walletId}'`,
    consensus: `approvers.filter(u, u.tags.contains('${tagId}')).count() >= 2`,
  });
  const elsewhere = await newPolicy(root, { condition: `wallet.id == 'another'` });
  const waiting = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)));
  const answer = await ben.client.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  assert.equal(answer.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
  const { votes } = await activityOf(root, waiting.id);
  const records = await evaluations(waiting.id);
  assert.deepEqual(
    records.map((record) => record.voteId),
    votes.map((vote: { id: string }) => vote.id),
  );
  assert.deepEqual(
    records.map((record) => outcomeOf(record.policyEvaluations, policyId)?.outcome),
    ['OUTCOME_REQUIRES_CONSENSUS', 'OUTCOME_ALLOW'],
  );
  for (const record of records) {
    assert.equal(outcomeOf(record.policyEvaluations, elsewhere)?.outcome, 'OUTCOME_DENY_IMPLICIT');
    assert.deepEqual(Object.keys(record).sort(), [
      'activityId',
      'createdAt',
      'id',
      'organizationId',
      'policyEvaluations',
      'voteId',
    ]);
  }
  assert.equal((await root.query('get_policy_evaluations', { activityId: policyId })).status, 404);
});

describe('a policy that cannot work is refused when it is written', () => {
  const mistakes: [field: string, text: string, message: RegExp][] = [
    ['condition', "activity.action == 'SIGN' &&", /line 1, column \d+/],
    [
      'condition',
      "activity.action == 'SIGN' &&\n  eth.tx.chainid == 1",
      /field does not exist: chainid \(line 2, column 10\); did you mean `chain_id`\?/,
    ],
    ['condition', "walet.id == 'x'", /line 1, column 1\); did you mean `wallet`\?/],
    ['condition', "eth.tx.value > '5'", /needs two integers or two timestamps.*\(line 1, column \d+\)/],
    ['condition', 'approvers.count() >= 2', /`approvers` cannot be used in the condition/],
    ['consensus', "activity.action == 'SIGN'", /`activity` cannot be used in the consensus/],
    ['consensus', 'approvers.count()', /bool/],
    ['time', "CronSpan('*/5 * * * *', '1h', 'UTC')", /step/],
    ['condition', `${'('.repeat(100)}true${')'.repeat(100)}`, /./],
    ['condition', 'x'.repeat(20_000), /16384/],
  ];

  test('with its place and a hint, and nothing is stored', async () => {
    const before = await count(root, 'list_policies', 'policies');
    for (const [field, text, message] of mistakes) {
      const one = await root.submit('CREATE_POLICY_V3', policyParameters({ [field]: text }));
      assert.equal(one.status, 400, `${text}: ${one.text}`);
      assert.equal(one.body.code, 3);
      assert.match(one.body.message, message);
      assert.equal(one.body.details[1].fieldViolations[0].field, `parameters.${field}`);
      const policies = [policyParameters({ condition: 'true' }), policyParameters({ [field]: text })];
      const many = await root.submit('CREATE_POLICIES', { policies });
      assert.equal(many.status, 400, many.text);
      assert.equal(many.body.details[1].fieldViolations[0].field, `parameters.policies[1].${field}`);
    }
    assert.equal(await count(root, 'list_policies', 'policies'), before);
  });

  test('and when it is changed: the old text stays', async () => {
    const policyId = await newPolicy(root, { condition: "wallet.id == 'a'", consensus: 'false' });
    const answer = await root.submit('UPDATE_POLICY_V2', { policyId, policyCondition: "wallet.ids == 'b'" });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.message, /field does not exist: ids \(line 1, column 8\); did you mean `id`\?/);
    const { policy } = (await root.query('get_policy', { policyId })).body;
    assert.equal(policy.condition, "wallet.id == 'a'");
  });

  test('every mistake of it is told at once', async () => {
    const parts = { condition: 'walet.id == 1 && eth.tx.nonse == 2', consensus: 'activity', time: 'nothing' };
    const answer = await root.submit('CREATE_POLICY_V3', policyParameters(parts));
    assert.equal(answer.status, 400, answer.text);
    const fields = answer.body.details[1].fieldViolations.map((each: { field: string }) => each.field);
    assert.deepEqual(fields, ['parameters.condition', 'parameters.condition', 'parameters.consensus', 'parameters.time']);
  });
});
