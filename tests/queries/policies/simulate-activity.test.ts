import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, newPolicy, newTag, newWallet, signing } from '../../e2e/authority.ts';
import { newKeys, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refusesEachQuery } from '../../support/refusals.ts';

const instance = await sharedInstance();

const SIGN = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';

type ExplainedPolicy = {
  policyId: string;
  policyName: string;
  effect: string;
  outcome: string;
  reason?: string;
  failedClause?: { part: string; text: string; line: number; column: number; result: string; message?: string };
  values: { part: string; path: string; value?: string; message?: string }[];
  warnings: { part: string; text: string; line: number; column: number; message: string; hint?: string }[];
};
type Answer = { outcome: string; element: number; rootQuorumMet: boolean; reason?: string; policies: ExplainedPolicy[] };

async function simulate(parameters: object, client = instance.root): Promise<Answer> {
  const answer = await client.query('simulate_activity', parameters);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Two users with a tag, a wallet that they sign with together, and one more policy. */
async function scene() {
  const { root } = instance;
  const [ann, ben, eve] = await Promise.all(['Ann', 'Ben', 'Eve'].map((name) => instance.newUser(name)));
  const tagId = await newTag(root, [ann!.userId, ben!.userId]);
  const { walletId, addresses } = await newWallet(root);
  const condition = `activity.action == 'SIGN' &&\n  wallet.id == '${walletId}'`;
  const consensus = `approvers.filter(u, u.tags.contains('${tagId}')).count() >= 2`;
  const policyId = await newPolicy(root, { condition, consensus });
  const activity = { type: SIGN, parameters: signing(addresses[0]!) };
  return { root, ann: ann!, ben: ben!, eve: eve!, tagId, walletId, address: addresses[0]!, policyId, consensus, activity };
}

test('answers with the decision that the same people would meet, and writes nothing', async () => {
  const { root, ann, ben, eve, activity, policyId } = await scene();
  const before = (await root.query('list_activities')).text;
  const by = (...approverUserIds: string[]) => simulate({ ...activity, approverUserIds });
  assert.equal((await by(ann.userId)).outcome, 'OUTCOME_REQUIRES_CONSENSUS');
  assert.equal((await by(ann.userId, ben.userId)).outcome, 'OUTCOME_ALLOW');
  assert.equal((await by(ann.userId, ann.userId)).outcome, 'OUTCOME_REQUIRES_CONSENSUS', 'one person is one person');
  assert.equal((await by(eve.userId)).outcome, 'OUTCOME_DENY_IMPLICIT');
  assert.equal((await by(ann.userId, eve.userId)).outcome, 'OUTCOME_DENY_IMPLICIT');
  const asked = await simulate(activity, ann.client);
  assert.equal(asked.outcome, 'OUTCOME_REQUIRES_CONSENSUS', 'whoever asks is the approver, if nobody is named');
  const quorum = await simulate(activity);
  assert.deepEqual([quorum.outcome, quorum.rootQuorumMet], ['OUTCOME_ALLOW', true]);
  const shown = quorum.policies.find((each) => each.policyId === policyId);
  assert.equal(shown?.outcome, 'OUTCOME_DENY_IMPLICIT', 'what policies would say is shown where they are not asked');
  assert.equal((await root.query('list_activities')).text, before, 'nothing is written');

  // The real decision is the same.
  const real = await ann.client.submit('SIGN_RAW_PAYLOAD_V2', activity.parameters);
  assert.equal(real.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const { activity: target } = real.body;
  const done = await ben.client.submit('APPROVE_ACTIVITY', { fingerprint: target.fingerprint });
  assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  const verdict = (await by(ann.userId)).policies.find((each) => each.policyId === policyId)!;
  assert.equal(verdict.outcome, 'OUTCOME_REQUIRES_CONSENSUS');
});

test('says which clause failed, where it stands, and what it saw', async () => {
  const { root, ann, ben, activity, policyId, consensus, walletId } = await scene();
  const { policies } = await simulate({ ...activity, approverUserIds: [ann.userId] });
  const verdict = policies.find((each) => each.policyId === policyId)!;
  assert.equal(verdict.effect, 'EFFECT_ALLOW');
  assert.match(verdict.policyName, /^policy \d+$/);
  assert.deepEqual(verdict.failedClause, { part: 'consensus', text: consensus, line: 1, column: 1, result: 'false' });
  const seen = new Map(verdict.values.map((each) => [each.path, each.value]));
  assert.equal(seen.get('activity.action'), '"SIGN"');
  assert.equal(seen.get('wallet.id'), `"${walletId}"`);
  assert.match(seen.get('approvers') ?? '', new RegExp(ann.userId));

  const broken = await newPolicy(root, {
    condition: `wallet.id == '${walletId}' &&\n  wallet_account.path_indexes[99] == 0`,
    consensus: 'true',
  });
  const other = await newPolicy(root, { condition: "activity.action == 'SIGN' &&\n\n wallet.id == 'another'" });
  const again = await simulate({ ...activity, approverUserIds: [ann.userId, ben.userId] });
  assert.equal(again.outcome, 'OUTCOME_ALLOW', 'an error in one policy takes nothing from another');
  const failed = again.policies.find((each) => each.policyId === broken)!;
  assert.equal(failed.outcome, 'OUTCOME_ERROR');
  assert.match(failed.reason!, /^condition: .*\(line 2, column 3\)$/);
  assert.equal(failed.failedClause?.text, 'wallet_account.path_indexes[99] == 0');
  assert.deepEqual([failed.failedClause?.line, failed.failedClause?.column, failed.failedClause?.result], [2, 3, 'error']);
  assert.ok(failed.values.some((each) => each.path === 'wallet_account.path_indexes[99]' && each.message !== undefined));
  const elsewhere = again.policies.find((each) => each.policyId === other)!;
  assert.equal(elsewhere.outcome, 'OUTCOME_DENY_IMPLICIT');
  assert.deepEqual(elsewhere.failedClause, {
    part: 'condition',
    text: "wallet.id == 'another'",
    line: 3,
    column: 2,
    result: 'false',
  });
});

test('names the DENY, and the element of a batch that decided', async () => {
  const { root, ann, walletId, address } = await scene();
  const consensus = approvedBy(ann.userId);
  await newPolicy(root, { condition: `wallet.id == '${walletId}'`, consensus });
  const contract = `0x${'66'.repeat(20)}`;
  const typed = (verifyingContract: string) =>
    JSON.stringify({
      types: { EIP712Domain: [{ name: 'verifyingContract', type: 'address' }], Note: [{ name: 'text', type: 'string' }] },
      primaryType: 'Note',
      domain: { verifyingContract },
      message: { text: 'hello' },
    });
  const deny = await newPolicy(root, {
    effect: 'EFFECT_DENY',
    condition: `eth.eip_712.domain.verifying_contract == '${contract}'`,
  });
  const { payload: _, ...rest } = signing(address);
  const payloads = [typed(`0x${'77'.repeat(20)}`), typed(contract)];
  const answer = await simulate({
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
    parameters: { ...rest, payloads, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    approverUserIds: [ann.userId],
  });
  assert.deepEqual([answer.outcome, answer.element], ['OUTCOME_DENY_EXPLICIT', 1]);
  const verdict = answer.policies.find((each) => each.policyId === deny)!;
  assert.equal(verdict.outcome, 'OUTCOME_DENY_EXPLICIT');
  assert.equal(verdict.failedClause, undefined);
  assert.deepEqual(
    verdict.values.map((each) => [each.path, each.value]),
    [['eth.eip_712.domain.verifying_contract', `"${contract}"`]],
  );
});

test('warns of a policy that can never be true, at its place, and creating it works all the same', async () => {
  const { root, activity, policyId } = await scene();
  const odd = await newPolicy(root, { condition: "wallet.id == 'x' &&\n  activity.action == 'BUY'" });
  const { policies } = await simulate(activity);
  const [warned, plain] = [odd, policyId].map((id) => policies.find((each) => each.policyId === id));
  assert.deepEqual(warned?.warnings, [
    {
      part: 'condition',
      text: "'BUY'",
      line: 2,
      column: 22,
      message: "`activity.action` is never 'BUY'",
      hint: "it is one of '', 'CREATE', 'DELETE', 'UPDATE', 'VERIFY', 'EXPORT', 'IMPORT', 'SIGN', 'ENCRYPT'",
    },
  ]);
  assert.deepEqual(plain?.warnings, []);
});

test('knows the allowance for own credentials, and what only the root quorum may', async () => {
  const { eve, ann } = await scene();
  const apiKeys = [{ apiKeyName: 'new', publicKey: newKeys().publicKey, curveType: 'API_KEY_CURVE_P256' }];
  const create = (userId: string) => ({ type: 'ACTIVITY_TYPE_CREATE_API_KEYS_V2', parameters: { userId, apiKeys } });
  assert.equal((await simulate(create(eve.userId), eve.client)).outcome, 'OUTCOME_ALLOW');
  assert.equal((await simulate(create(ann.userId), eve.client)).outcome, 'OUTCOME_DENY_IMPLICIT');
  const quorum = { type: 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM', parameters: { threshold: 1, userIds: [eve.userId] } };
  assert.equal((await simulate(quorum, eve.client)).outcome, 'OUTCOME_DENY_IMPLICIT');
  assert.equal((await simulate(quorum)).outcome, 'OUTCOME_ALLOW');
});

test('knows that imports are for oneself, and that only a DENY by type bars a vote', async () => {
  const { root, ann, eve } = await scene();
  const importing = (userId: string) => ({ type: 'ACTIVITY_TYPE_INIT_IMPORT_WALLET', parameters: { userId } });
  const others = await simulate(importing(eve.userId));
  assert.deepEqual([others.outcome, others.rootQuorumMet], ['OUTCOME_DENY_EXPLICIT', true]);
  assert.match(others.reason ?? '', /^Users import for themselves/);
  const real = await root.submit('INIT_IMPORT_WALLET', { userId: eve.userId });
  assert.equal(real.status, 403);
  assert.ok(real.body.message.includes(others.reason), 'the service says the same');
  const own = await simulate({ ...importing(eve.userId), approverUserIds: [eve.userId, instance.credentials.userId] });
  assert.deepEqual([own.outcome, own.reason], ['OUTCOME_ALLOW', undefined]);

  const vote = { type: 'ACTIVITY_TYPE_REJECT_ACTIVITY', parameters: { fingerprint: `sha256:${'0'.repeat(64)}` } };
  assert.equal((await simulate(vote, ann.client)).outcome, 'OUTCOME_ALLOW');
  const consensus = approvedBy(ann.userId);
  const condition = `activity.type == '${vote.type}'`;
  const policyId = await newPolicy(root, { effect: 'EFFECT_DENY', condition, consensus });
  const barred = await simulate(vote, ann.client);
  assert.equal(barred.outcome, 'OUTCOME_DENY_EXPLICIT');
  assert.deepEqual(
    barred.policies.map((each) => [each.policyId, each.outcome]),
    [[policyId, 'OUTCOME_DENY_EXPLICIT']],
  );
  assert.equal((await simulate(vote, eve.client)).outcome, 'OUTCOME_ALLOW');
});

test('the caller counts with the credential that stamped, others with all of theirs', async () => {
  const { root, ann } = await scene();
  const keys = newKeys();
  const apiKeys = [{ apiKeyName: 'second', publicKey: keys.publicKey, curveType: 'API_KEY_CURVE_P256' }];
  assert.equal((await ann.client.submit('CREATE_API_KEYS_V2', { userId: ann.userId, apiKeys })).status, 200);
  const consensus = `credentials.any(c, c.public_key == '${keys.publicKey}')`;
  await newPolicy(root, { condition: "activity.type == 'ACTIVITY_TYPE_DELETE_POLICIES'", consensus });
  const asked = { type: 'ACTIVITY_TYPE_DELETE_POLICIES', parameters: { policyIds: [NOBODY] } };
  assert.equal((await simulate(asked, ann.client)).outcome, 'OUTCOME_DENY_IMPLICIT');
  assert.equal((await simulate(asked, ann.client.as(keys))).outcome, 'OUTCOME_ALLOW');
  assert.equal((await simulate({ ...asked, approverUserIds: [ann.userId] })).outcome, 'OUTCOME_ALLOW');
});

test('a parent asks about its sub-organization, where it is nobody', async () => {
  const { organizationId, userIds } = await instance.newSubOrganization('Below', 2, 2);
  const parent = instance.root.as(instance.root.keys, organizationId);
  const activity = {
    type: 'ACTIVITY_TYPE_CREATE_USERS_V4',
    parameters: { users: [{ ...userWith('New', [newKeys()]), userTags: [] }] },
  };
  const nobody = await simulate(activity, parent);
  assert.deepEqual([nobody.outcome, nobody.rootQuorumMet], ['OUTCOME_DENY_IMPLICIT', false]);
  const one = await simulate({ ...activity, approverUserIds: [userIds[0]] }, parent);
  assert.deepEqual([one.outcome, one.rootQuorumMet], ['OUTCOME_REQUIRES_CONSENSUS', false]);
  const both = await simulate({ ...activity, approverUserIds: userIds }, parent);
  assert.deepEqual([both.outcome, both.rootQuorumMet], ['OUTCOME_ALLOW', true]);
});

test('refuses what it cannot decide on, and names the field', async () => {
  const { root } = instance;
  const parameters = signing('0x0000000000000000000000000000000000000001');
  await refusesEachQuery(root, 'simulate_activity', [
    [{ type: 'ACTIVITY_TYPE_NO_SUCH', parameters: {} }, 'type', /must be the type of an activity/],
    [{ type: 'ACTIVITY_TYPE_COUNTERSIGN_RECOVER_ROOT_USER', parameters: {} }, 'type', /must be the type of an activity/],
    [{ type: SIGN, parameters: { ...parameters, payload: 7 } }, 'parameters.payload', /string/],
    [{ type: SIGN, parameters, approverUserIds: ['x'] }, 'approverUserIds[0]', /./],
    [{ type: SIGN }, 'parameters', /./],
    [{ parameters }, 'type', /./],
  ]);
  const unknown = await root.query('simulate_activity', { type: SIGN, parameters, approverUserIds: [NOBODY] });
  assert.equal(unknown.status, 404, unknown.text);
  assert.match(unknown.body.message, /^user not found/);
});
