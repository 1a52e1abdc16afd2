import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, newPolicy, waitingIn } from '../../e2e/authority.ts';
import { apiKey, type Client, ethereumAccount, newKeys, resultOf, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const instance = await sharedInstance();
const { root } = instance;

const asStored = (id: string): unknown => (instance.databaseUrl === undefined ? Buffer.from(id.replaceAll('-', ''), 'hex') : id);

const newProfile = async (scope: string): Promise<string> =>
  resultOf(await root.submit('CREATE_SESSION_PROFILE', { sessionProfileName: 'Scoped', scope }), 'createSessionProfileResult')
    .sessionProfileId;

/** A session of the user whose key `owner` has, under a profile. */
async function session(owner: Client, scope: string, profile?: string): Promise<Client> {
  const { userId } = (await owner.query('whoami')).body;
  const keys = newKeys();
  const answer = await owner.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(keys, { expirationSeconds: '900' })] });
  const [id] = resultOf(answer, 'createApiKeysResult').apiKeyIds;
  const profileId = profile ?? (await newProfile(scope));
  await instance.raw('UPDATE credentials SET session_profile_id = $1 WHERE id = $2', asStored(profileId), asStored(id));
  const { apiKey: shown } = (await owner.query('get_api_key', { apiKeyId: id })).body;
  assert.equal(shown.credential.sessionProfileId, profileId);
  return owner.as(keys, owner.organizationId);
}

const DENIED = [403, 'REQUEST_NOT_AUTHORIZED', /No policies evaluated to outcome: Allow, because the scope/] as [
  number,
  string,
  RegExp,
];
const wallet = (walletName: string) => ({ walletName, accounts: [ethereumAccount()] });

test('a scope holds for a root user too, and the refusal is recorded', async () => {
  const scoped = await session(root, "activity.kind == 'CREATE_WALLET'");
  resultOf(await scoped.submit('CREATE_WALLET', wallet('Allowed')), 'createWalletResult');
  const body = scoped.bodyOf('CREATE_USER_TAG', { userTagName: 'Denied', userIds: [] });
  const denied = await scoped.send(submitPath('CREATE_USER_TAG'), body);
  refused(denied, DENIED);
  assert.equal(denied.body.code, 7);
  assert.deepEqual((await scoped.send(submitPath('CREATE_USER_TAG'), body)).body, denied.body);
  const { activityId } = denied.body.details.at(-1);
  assert.equal((await root.query('get_activity', { activityId })).body.activity.status, 'ACTIVITY_STATUS_FAILED');
  // Questions are asked freely.
  assert.equal((await scoped.query('list_user_tags')).status, 200);
});

test('it narrows what policies allow, and allows nothing itself', async () => {
  const { client, userId } = await instance.newUser('Narrow');
  const scoped = await session(client, "activity.kind == 'CREATE_WALLET' || activity.kind == 'CREATE_USER_TAG'");
  refused(await scoped.submit('CREATE_WALLET', wallet('Not yet')), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /A root user can add a policy/,
  ]);
  await newPolicy(root, { condition: "activity.kind in ['CREATE_WALLET', 'CREATE_POLICY']", consensus: approvedBy(userId) });
  resultOf(await scoped.submit('CREATE_WALLET', wallet('Narrow')), 'createWalletResult');
  refused(await scoped.submit('CREATE_POLICY_V3', { policyName: 'x', effect: 'EFFECT_ALLOW', notes: '' }), DENIED);
});

test('a clause that fails counts as false, and so does a scope that fails as a whole', async () => {
  const lenient = await session(
    root,
    "eth.tx.to == '0x0000000000000000000000000000000000000000' || activity.kind == 'CREATE_WALLET'",
  );
  resultOf(await lenient.submit('CREATE_WALLET', wallet('Lenient')), 'createWalletResult');
  refused(await lenient.submit('CREATE_USER_TAG', { userTagName: 'Lenient', userIds: [] }), DENIED);
  const strict = await session(root, "!(eth.tx.to == '0x0000000000000000000000000000000000000000')");
  refused(await strict.submit('CREATE_WALLET', wallet('Strict')), DENIED);
  const gone = await session(root, '', NOBODY);
  refused(await gone.submit('CREATE_WALLET', wallet('Gone')), DENIED);
});

test('the facts that signatures keep in memory include the scope', async () => {
  const { addresses } = resultOf(await root.submit('CREATE_WALLET', wallet('Signs')), 'createWalletResult');
  const [signWith] = addresses;
  const params = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP', signWith };
  const payload = (byte: string) => ({ ...params, payload: byte.repeat(32) });
  const scoped = await session(root, "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'");
  for (const byte of ['aa', 'bb', 'cc'])
    resultOf(await scoped.submit('SIGN_RAW_PAYLOAD_V2', payload(byte)), 'signRawPayloadResult');
  for (const byte of ['dd', 'ee']) {
    const many = { ...params, payloads: [byte.repeat(32)] };
    refused(await scoped.submit('SIGN_RAW_PAYLOADS', many), DENIED);
  }
  resultOf(await scoped.submit('SIGN_RAW_PAYLOAD_V2', payload('ff')), 'signRawPayloadResult');
});

test('votes are submitted too', async () => {
  const sub = await instance.newSubOrganization('Votes', 2, 2);
  const [first, scoped] = sub.clients as [Client, Client];
  const profile = await newProfile("activity.kind == 'CREATE_USER_TAG'");
  const second = asStored(sub.userIds[1]!);
  await instance.raw('UPDATE credentials SET session_profile_id = $1 WHERE user_id = $2', asStored(profile), second);
  const body = first.bodyOf('CREATE_WALLET', wallet('Voted'));
  const { fingerprint } = waitingIn(await first.send(submitPath('CREATE_WALLET'), body));
  refused(await scoped.send(submitPath('CREATE_WALLET'), body), DENIED);
  refused(await scoped.submit('APPROVE_ACTIVITY', { fingerprint }), DENIED);
  refused(await scoped.submit('REJECT_ACTIVITY', { fingerprint }), DENIED);
  const tag = first.bodyOf('CREATE_USER_TAG', { userTagName: 'Voted', userIds: [] });
  waitingIn(await first.send(submitPath('CREATE_USER_TAG'), tag));
  refused(await scoped.send(submitPath('CREATE_USER_TAG'), tag), DENIED);
});

test('an approval is judged as what it approves too, and a rejection by itself', async () => {
  const sub = await instance.newSubOrganization('Approvals', 2, 2);
  const [first, scoped] = sub.clients as [Client, Client];
  const voter = asStored(sub.userIds[1]!);
  const under = async (scope: string) =>
    instance.raw('UPDATE credentials SET session_profile_id = $1 WHERE user_id = $2', asStored(await newProfile(scope)), voter);
  const approved = async (type: string, parameters: object, identical: boolean) => {
    const body = first.bodyOf(type, parameters);
    const { fingerprint } = waitingIn(await first.send(submitPath(type), body));
    return identical ? scoped.send(submitPath(type), body) : scoped.submit('APPROVE_ACTIVITY', { fingerprint });
  };
  const tag = (userTagName: string) => ({ userTagName, userIds: [] });

  await under(
    "activity.kind == 'APPROVE_ACTIVITY' || vote.selection == 'VOTE_SELECTION_APPROVED' && activity.kind == 'CREATE_USER_TAG'",
  );
  for (const identical of [false, true]) {
    const done = await approved('CREATE_USER_TAG', tag(`Approved ${identical}`), identical);
    assert.equal(done.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
    const denied = await approved('CREATE_WALLET', wallet('Not approved'), identical);
    refused(denied, [
      403,
      'REQUEST_NOT_AUTHORIZED',
      /it must allow APPROVE_ACTIVITY and, beside vote\.selection, the approved activity/,
    ]);
  }
  refused(await scoped.submit('CREATE_USER_TAG', tag('Not started')), DENIED);

  const body = first.bodyOf('CREATE_WALLET', wallet('Rejected'));
  const { fingerprint } = waitingIn(await first.send(submitPath('CREATE_WALLET'), body));
  const asked = { type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY', parameters: { fingerprint } };
  assert.equal((await scoped.query('simulate_activity', asked)).body.outcome, 'OUTCOME_DENY_IMPLICIT');
  await under("activity.kind == 'REJECT_ACTIVITY'");
  const rejected = await scoped.submit('REJECT_ACTIVITY', { fingerprint });
  assert.equal(rejected.body.activity?.status, 'ACTIVITY_STATUS_REJECTED', rejected.text);
});

test('policies know no votes, and are told where `vote` belongs', async () => {
  const condition = "vote.selection == 'VOTE_SELECTION_APPROVED'";
  const policy = { policyName: 'Of votes', effect: 'EFFECT_DENY', notes: '', condition };
  refused(await root.submit('CREATE_POLICY_V3', policy), [
    400,
    'REQUEST_INVALID',
    /`vote` can be used only in session scopes and MFA conditions/,
  ]);
});

test('a simulation of what the caller would submit shows it', async () => {
  const scoped = await session(root, "activity.kind == 'CREATE_USER_TAG'");
  const type = 'ACTIVITY_TYPE_CREATE_WALLET';
  const asked = { type, parameters: wallet('Simulated') };
  const { body } = await scoped.query('simulate_activity', asked);
  assert.equal(body.outcome, 'OUTCOME_DENY_IMPLICIT');
  assert.match(body.reason, /the scope of the session's profile/);
  assert.equal((await root.query('simulate_activity', asked)).body.outcome, 'OUTCOME_ALLOW');
});
