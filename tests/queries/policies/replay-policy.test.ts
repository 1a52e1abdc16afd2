import assert from 'node:assert/strict';
import { test } from 'node:test';
import { login, mayAsk } from '../../activities/sessions/support.ts';
import { signWei, weiControl } from '../../activities/velocity-controls/spends.ts';
import { approvedBy, newPolicy, newTag, newWallet, signing } from '../../e2e/authority.ts';
import { type Client, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refusesEachQuery } from '../../support/refusals.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

type Row = { activityId: string; type: string; status: string; before: string; after: string; createdAt: { seconds: string } };
type Answer = { examined: number; activities: Row[]; warnings: { text: string; hint?: string }[]; next?: string };

async function replay(parameters: object, client: Client = instance.root): Promise<Answer> {
  const answer = await client.query('replay_policy', parameters);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const ids = ({ activities }: Answer): string[] => activities.map((row) => row.activityId);
const idOf = (answer: { body: { activity: { id: string } } }): string => answer.body.activity.id;

/** A user who may sign with one of two wallets, by one policy. */
async function scene() {
  const { root } = instance;
  const { client, userId } = await instance.newUser('Signer');
  const [mine, theirs] = [await newWallet(root), await newWallet(root)];
  const consensus = approvedBy(userId);
  const only = (walletId: string) => `activity.action == 'SIGN' && wallet.id == '${walletId}'`;
  const policyId = await newPolicy(root, { condition: only(mine.walletId), consensus });
  const sign = (address: string) => client.submit('SIGN_RAW_PAYLOAD_V2', signing(address));
  /** The activities of the user, newest first. */
  const mineOf = async () =>
    (await client.query('list_activities', { paginationOptions: { limit: '100' } })).body.activities.filter(
      (each: { votes: { userId: string }[] }) => each.votes[0]?.userId === userId,
    );
  return { root, client, userId, mine, theirs, consensus, only, policyId, sign, mineOf };
}

test('warns of what of the draft can never be true', async () => {
  const draft = { effect: 'EFFECT_DENY', condition: "eth.tx.type == 'TYPE2'" };
  const { warnings } = await replay(draft);
  assert.deepEqual(
    warnings.map(({ text, hint }) => [text, hint]),
    [["'TYPE2'", "did you mean 'TYPE_2'?"]],
  );
});

test('finds exactly the activities that would have been decided otherwise, and writes nothing', async () => {
  const { root, mine, theirs, consensus, only, policyId, sign, mineOf } = await scene();
  const fromMs = String(instance.clock.now());
  const allowed = [idOf(await sign(mine.addresses[0]!)), idOf(await sign(mine.addresses[0]!))];
  assert.equal((await sign(theirs.addresses[0]!)).status, 403);
  const [refused] = await mineOf();
  assert.equal(refused.status, 'ACTIVITY_STATUS_FAILED');
  resultOf(await root.submit('SIGN_RAW_PAYLOAD_V2', signing(theirs.addresses[0]!)), 'signRawPayloadResult');
  const before = [(await root.query('list_activities')).text, (await root.query('list_policies')).text];

  const denying = await replay({ effect: 'EFFECT_DENY', condition: only(mine.walletId), fromMs });
  assert.deepEqual(ids(denying), allowed.toReversed(), 'newest first, and not those of root users');
  for (const row of denying.activities) {
    assert.equal(row.type, 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2');
    assert.equal(row.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.deepEqual([row.before, row.after], ['OUTCOME_ALLOW', 'OUTCOME_DENY_EXPLICIT']);
    assert.match(row.createdAt.seconds, /^\d+$/);
  }
  const allowing = await replay({ effect: 'EFFECT_ALLOW', condition: only(theirs.walletId), consensus, fromMs });
  assert.deepEqual(
    allowing.activities.map((row) => [row.activityId, row.status, row.before, row.after]),
    [[refused.id, 'ACTIVITY_STATUS_FAILED', 'OUTCOME_DENY_IMPLICIT', 'OUTCOME_ALLOW']],
  );
  const nothing = await replay({ effect: 'EFFECT_ALLOW', condition: only(mine.walletId), consensus, fromMs });
  assert.deepEqual(nothing.activities, [], 'what is allowed twice is allowed as before');
  assert.equal(nothing.examined, 4);
  assert.equal('next' in nothing, false);

  // A stored policy with another text: parts that are left out keep theirs.
  const moved = await replay({ policyId, condition: only(theirs.walletId), fromMs });
  assert.deepEqual(ids(moved), [refused.id, ...allowed.toReversed()]);
  const together = await replay({ policyId, consensus: 'approvers.count() >= 2', fromMs });
  assert.deepEqual(
    together.activities.map((row) => row.after),
    ['OUTCOME_REQUIRES_CONSENSUS', 'OUTCOME_REQUIRES_CONSENSUS'],
  );
  assert.deepEqual((await replay({ policyId, fromMs })).activities, [], 'unchanged, it changes nothing');
  assert.deepEqual(ids(await replay({ policyId, effect: 'EFFECT_DENY', fromMs })), allowed.toReversed());

  assert.deepEqual([(await root.query('list_activities')).text, (await root.query('list_policies')).text], before);
});

test('counts approvals of then: of users who lost a tag since, or are gone', async () => {
  const { root, client, userId, mine, only, policyId } = await scene();
  const tagId = await newTag(root, [userId]);
  const tagged = `approvers.any(u, u.tags.contains('${tagId}'))`;
  resultOf(await root.submit('UPDATE_POLICY_V2', { policyId, policyConsensus: tagged }), 'updatePolicyResultV2');
  const fromMs = String(instance.clock.now());
  const signed = idOf(await client.submit('SIGN_RAW_PAYLOAD_V2', signing(mine.addresses[0]!)));
  const draft = { effect: 'EFFECT_DENY', condition: only(mine.walletId), fromMs };
  const wanted = [[signed, 'OUTCOME_ALLOW', 'OUTCOME_DENY_EXPLICIT']];
  const found = async () => (await replay(draft)).activities.map((row) => [row.activityId, row.before, row.after]);
  assert.deepEqual(await found(), wanted);
  resultOf(
    await root.submit('UPDATE_USER_TAG', { userTagId: tagId, addUserIds: [], removeUserIds: [userId] }),
    'updateUserTagResult',
  );
  assert.deepEqual(await found(), wanted);
  resultOf(await root.submit('DELETE_USERS', { userIds: [userId] }), 'deleteUsersResult');
  assert.deepEqual(await found(), wanted);
});

test('looks at a range of time, both ends included', async () => {
  const { mine, only, sign } = await scene();
  const made: { id: string; at: number }[] = [];
  for (let i = 0; i < 4; i++) {
    instance.clock.advance(10_000);
    const { activity } = (await sign(mine.addresses[0]!)).body;
    const at = Number(activity.createdAt.seconds) * 1000 + Number(activity.createdAt.nanos) / 1e6;
    made.push({ id: activity.id, at });
  }
  const draft = { effect: 'EFFECT_DENY', condition: only(mine.walletId) };
  const within = async (from: number | undefined, until: number | undefined) =>
    ids(
      await replay({
        ...draft,
        ...(from === undefined ? {} : { fromMs: String(from) }),
        ...(until === undefined ? {} : { untilMs: String(until) }),
      }),
    );
  const newestFirst = made.map(({ id }) => id).toReversed();
  assert.deepEqual(await within(undefined, undefined), newestFirst);
  assert.deepEqual(await within(made[1]!.at, undefined), newestFirst.slice(0, 3));
  assert.deepEqual(await within(undefined, made[1]!.at), newestFirst.slice(2));
  assert.deepEqual(await within(made[1]!.at, made[2]!.at), newestFirst.slice(1, 3));
  assert.deepEqual(await within(made[1]!.at + 1, made[2]!.at - 1), []);
  assert.deepEqual(await within(made[3]!.at + 1, undefined), []);
});

test('sees what was made after the clock was set back', async () => {
  const { mine, only, sign } = await scene();
  instance.clock.advance(60_000);
  const before = (await sign(mine.addresses[0]!)).body.activity;
  instance.clock.set(-4_000);
  const after = (await sign(mine.addresses[0]!)).body.activity;
  instance.clock.set(0);
  const fromMs = String(Number(before.createdAt.seconds) * 1000);
  const found = await replay({ effect: 'EFFECT_DENY', condition: only(mine.walletId), fromMs });
  assert.deepEqual(ids(found), [after.id, before.id]);
});

test('goes on by `next` until all was looked at', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Many', 1, 1);
  const root = clients[0]!;
  const { walletId, addresses } = await newWallet(root);
  const keys = newKeys();
  const users = [{ ...userWith('Signer', [keys]), userTags: [] }];
  const { userIds } = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  const condition = `wallet.id == '${walletId}'`;
  await newPolicy(root, { condition, consensus: approvedBy(userIds[0]) });
  const setUp = 3;
  const client = root.as(keys);
  const made: string[] = [];
  for (let i = 0; i < 512; i += 16)
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        const answer = await client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
        resultOf(answer, 'signRawPayloadResult');
        made.push(idOf(answer));
      }),
    );
  const draft = { organizationId, effect: 'EFFECT_DENY', condition };
  const pages: Answer[] = [];
  for (let after: string | undefined; pages.length === 0 || after !== undefined; after = pages.at(-1)!.next)
    pages.push(await replay({ ...draft, ...(after && { after }) }, root));
  assert.ok(pages.length >= 2);
  for (const page of pages) assert.ok(page.examined >= 1 && page.examined <= 500, String(page.examined));
  assert.equal(
    pages.reduce((sum, { examined }) => sum + examined, 0),
    made.length + setUp,
  );
  assert.deepEqual(pages.flatMap(ids).sort(), made.sort(), 'each once, and all of them');
  const [first] = pages as [Answer];
  const fromMs = first.activities.at(-1)!.createdAt.seconds;
  const recent = await replay({ ...draft, fromMs: `${Number(fromMs) + 3600}000` }, root);
  assert.deepEqual([recent.examined, recent.next, recent.activities], [0, undefined, []]);
});

test('limits over time are as they were then', async () => {
  const { root, client, mine, theirs, only, policyId } = await scene();
  const scope = { walletIds: [mine.walletId] };
  const terms = { window: { rolling: { duration: '3600' } }, groupBy: { wallet: {} } };
  resultOf(
    await root.submit('CREATE_VELOCITY_CONTROL', weiControl('hourly', 5n, { countersign: { scope } }, terms)),
    'createVelocityControlResult',
  );
  const fromMs = String(instance.clock.now());
  const pay = async (value: bigint) => idOf(await client.submit('SIGN_TRANSACTION_V2', signWei(mine.addresses[0]!, value)));
  const made: string[] = [];
  for (const value of [3n, 2n, 1n]) made.push(await pay(value));
  instance.clock.advance(3_700_000);
  made.push(await pay(5n), await pay(1n));
  const beyond = [made[4], made[2]];
  const wanted = beyond.map((id) => [id, 'OUTCOME_ALLOW', 'OUTCOME_DENY_EXPLICIT']);
  const denying = await replay({ effect: 'EFFECT_DENY', condition: `${only(mine.walletId)} && !controls.hourly`, fromMs });
  assert.deepEqual(
    denying.activities.map((row) => [row.activityId, row.before, row.after]),
    wanted,
  );
  assert.deepEqual(ids(await replay({ policyId, condition: `${only(mine.walletId)} && controls.hourly`, fromMs })), beyond);
  const elsewhere = await replay({ effect: 'EFFECT_DENY', condition: `${only(theirs.walletId)} && !controls.hourly`, fromMs });
  assert.deepEqual([ids(elsewhere), 'leftOut' in elsewhere], [[], false]);
});

test('refuses drafts that cannot work, and policies of others', async () => {
  const { root } = instance;
  await refusesEachQuery(root, 'replay_policy', [
    [{ effect: 'EFFECT_DENY', condition: 'walet.id' }, 'condition', /line 1, column 1\); did you mean `wallet`/],
    [{ effect: 'EFFECT_DENY', consensus: 'wallet' }, 'consensus', /cannot be used in the consensus/],
    [{ effect: 'EFFECT_DENY', condition: 'controls.nothing' }, 'condition', /nothing/],
    [{ effect: 'EFFECT_DENY', time: 'true &&' }, 'time', /line 1/],
    [{ condition: 'true' }, 'effect', /is required unless policyId names a policy/],
    [{ effect: 'ALLOW' }, 'effect', /./],
    [{ effect: 'EFFECT_DENY', fromMs: 'yesterday' }, 'fromMs', /milliseconds/],
    [{ effect: 'EFFECT_DENY', after: 'x' }, 'after', /./],
  ]);
  const { organizationId, clients } = await instance.newSubOrganization('Other', 1, 1);
  const foreign = await newPolicy(clients[0]!.as(clients[0]!.keys, organizationId), { condition: 'true' });
  await hidesOthers(root, 'replay_policy', 'policyId', foreign, /^policy not found/);
  assert.equal((await root.query('replay_policy', { policyId: NOBODY })).status, 404);
});

test('sees the session that signed after it ended; votes show their user without sessions', async () => {
  const { client, userId, mine, sign } = await scene();
  await newPolicy(instance.root, { condition: "activity.kind == 'STAMP_LOGIN'", consensus: approvedBy(userId) });
  const fromMs = String(instance.clock.now());
  const session = await login(client);
  const signed = await session.client.submit('SIGN_RAW_PAYLOAD_V2', signing(mine.addresses[0]!));
  assert.equal(signed.status, 200, signed.text);
  await login(client, { invalidateExisting: true });
  assert.equal(await mayAsk(session.client), 'PUBLIC_KEY_NOT_FOUND');

  const bySession = "credentials.any(c, c.type == 'CREDENTIAL_TYPE_LOGIN')";
  assert.deepEqual(ids(await replay({ effect: 'EFFECT_DENY', consensus: bySession, fromMs })), [idOf(signed)]);
  const types = signed.body.activity.votes[0].user.apiKeys.map((key: { credential: { type: string } }) => key.credential.type);
  assert.deepEqual(types, ['CREDENTIAL_TYPE_API_KEY_P256']);
  assert.equal(
    (await sign(mine.addresses[0]!)).body.activity.votes[0].user.updatedAt.seconds,
    signed.body.activity.votes[0].user.updatedAt.seconds,
  );
});
