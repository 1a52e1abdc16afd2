import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reviewActivity } from '../../../src/queries/activities/review-activity.ts';
import { sharedPair } from '../../activities/support.ts';
import { approvedBy, newPolicy, newTag, newWallet, signing } from '../../e2e/authority.ts';
import type { Client } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
async function review(client: Client, activityId: string): Promise<any> {
  const { status, body, text } = await client.query('review_activity', { activityId });
  assert.equal(status, 200, text);
  assert.deepEqual(reviewActivity.result.parse(body), body, 'the answer has its declared shape');
  return body;
}

/** A signature of Ann that waits for one more user with a tag. */
async function scene() {
  const [ann, ben, eve] = await Promise.all(['Ann', 'Ben', 'Eve'].map((name) => instance.newUser(name)));
  const tagId = await newTag(root, [ann!.userId, ben!.userId]);
  const { walletId, addresses } = await newWallet(root);
  const consensus = `approvers.filter(u, u.tags.contains('${tagId}')).count() >= 2`;
  const policyId = await newPolicy(root, { condition: `wallet.id == '${walletId}'`, consensus });
  const sent = await ann!.client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  assert.equal(sent.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', sent.text);
  const { id: activityId, fingerprint } = sent.body.activity;
  return { ann: ann!, ben: ben!, eve: eve!, walletId, policyId, consensus, activityId, fingerprint };
}

test('a review has the request as policies see it, the decision with its reasons, the votes, and the missing users', async () => {
  const { ann, ben, eve, walletId, policyId, consensus, activityId, fingerprint } = await scene();
  const before = (await root.query('list_activities')).text;
  const seen = await review(ben.client, activityId);
  assert.equal(seen.kind, 'SIGN_RAW_PAYLOAD');
  assert.deepEqual([seen.elements.length, seen.moreElements], [1, false]);
  const roots = new Map(
    seen.elements[0].roots.map(({ root, value }: { root: string; value: string }) => [root, JSON.parse(value)]),
  );
  assert.equal((roots.get('wallet') as { id: string }).id, walletId);
  assert.equal((roots.get('activity') as { kind: string }).kind, 'SIGN_RAW_PAYLOAD');
  const { outcome, rootQuorumMet, policies } = seen.verdict;
  assert.deepEqual([outcome, rootQuorumMet], ['OUTCOME_REQUIRES_CONSENSUS', false]);
  const policy = policies.find((each: { policyId: string }) => each.policyId === policyId);
  assert.deepEqual([policy.outcome, policy.failedClause.text], ['OUTCOME_REQUIRES_CONSENSUS', consensus]);
  assert.deepEqual(
    seen.votes.map((v: { userId: string; userName: string; counts: boolean }) => [v.userId, v.userName, v.counts]),
    [[ann.userId, 'Ann', true]],
  );
  const completers = new Map(seen.completers.map((c: { userId: string; completes: boolean }) => [c.userId, c.completes]));
  assert.deepEqual([completers.get(ben.userId), completers.has(eve.userId), completers.has(ann.userId)], [true, false, false]);
  assert.equal(seen.completers[0].userId, (await root.query('whoami')).body.userId, 'root users come first');
  assert.equal(seen.more, false);
  assert.deepEqual(seen.pendingFor, { canApprove: true, canReject: true, completes: true });
  const { pendingFor } = await review(eve.client, activityId);
  assert.deepEqual(pendingFor, { canApprove: false, canReject: false, completes: false });
  const lapses = Number(seen.approvalsLapseAt.seconds) - Number(seen.votes[0].createdAt.seconds);
  assert.equal(lapses, 24 * 3600);
  assert.equal((await root.query('list_activities')).text, before, 'nothing is written');

  instance.clock.advance(lapses * 1000);
  const later = await review(ben.client, activityId);
  assert.deepEqual([later.votes[0].counts, later.approvalsLapseAt], [false, undefined]);
  assert.deepEqual(later.pendingFor, { canApprove: true, canReject: true, completes: false });

  await ben.client.submit('REJECT_ACTIVITY', { fingerprint });
  const ended = await review(ben.client, activityId);
  assert.deepEqual([ended.verdict, ended.completers, ended.votes.length], [undefined, [], 2]);
  assert.equal(ended.elements.length, 1);
});

test('a root user’s approval completes what two must agree on, and an outsider’s does not', async () => {
  const sent = await pair.clients[0].submit('CREATE_USER_TAG', { userTagName: 'waits', userIds: [] });
  const { id } = sent.body.activity;
  const { pendingFor, completers, verdict } = await review(pair.clients[1], id);
  assert.deepEqual(pendingFor, { canApprove: true, canReject: true, completes: true });
  assert.deepEqual([completers.length, completers[0].userId], [1, pair.userIds[1]]);
  assert.equal(verdict.outcome, 'OUTCOME_REQUIRES_CONSENSUS');
  for (const client of [pair.outsider, pair.parent]) {
    const { pendingFor, completers } = await review(client, id);
    assert.deepEqual(pendingFor, { canApprove: false, canReject: false, completes: false });
    assert.equal(completers.length, 1);
  }
});

test('at most fifty users are named', async () => {
  const { walletId, addresses } = await newWallet(root);
  const { client, userId } = await instance.newUser('First');
  const parameters = {
    users: Array.from({ length: 52 }, (_, i) => ({
      userName: `Many ${i}`,
      apiKeys: [],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
      userEmail: `many-${i}@example.com`,
    })),
  };
  const made = await root.submit('CREATE_USERS_V4', parameters);
  assert.equal(made.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', made.text);
  await newPolicy(root, { condition: `wallet.id == '${walletId}'`, consensus: 'approvers.count() >= 2' });
  const sent = await client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  const { completers, more, pendingFor } = await review(client, sent.body.activity.id);
  assert.deepEqual([completers.length, more], [50, true]);
  assert.deepEqual(pendingFor, { canApprove: false, canReject: true, completes: false });
  assert.ok(completers.every((each: { userId: string }) => each.userId !== userId));
});

test('signatures go between the steps of a review', async () => {
  const [{ client }, here, waits] = await Promise.all([instance.newUser('Patient'), newWallet(root), newWallet(root)]);
  const policies = Array.from({ length: 150 }, (_, i) => ({
    policyName: `waits ${i}`,
    effect: 'EFFECT_ALLOW',
    condition: `wallet.id == '${waits.walletId}'`,
    consensus: `approvers.count() >= ${i + 2}`,
    notes: '',
  }));
  const made = await root.submit('CREATE_POLICIES', { policies });
  assert.equal(made.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', made.text);
  const sent = await client.submit('SIGN_RAW_PAYLOAD_V2', signing(waits.addresses[0]!));
  const order: string[] = [];
  const reviewed = review(root, sent.body.activity.id).then(() => order.push('review'));
  for (let i = 0; i < 3; i++) {
    const signed = await root.submit('SIGN_RAW_PAYLOAD_V2', signing(here.addresses[0]!));
    assert.equal(signed.body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
    order.push('signature');
  }
  await reviewed;
  assert.deepEqual(order, ['signature', 'signature', 'signature', 'review']);
});

test('a review says which values cannot be read any more', async () => {
  const { client, userId } = await instance.newUser('Leaves');
  const { walletId, addresses } = await newWallet(root);
  await newPolicy(root, {
    condition: `wallet.id == '${walletId}'`,
    consensus: `${approvedBy(userId)} && approvers.count() >= 2`,
  });
  const sent = await client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  await root.submit('DELETE_WALLETS', { walletIds: [walletId], deleteWithoutExport: true });
  const { elements } = await review(client, sent.body.activity.id);
  const wallet = elements[0].roots.find(({ root }: { root: string }) => root === 'wallet');
  assert.match(wallet.message, /object of `wallet` was not found/);
  const { text, status } = await client.query('list_waiting_activities');
  assert.equal(status, 200, text);
});

test('a missing activity', async () => {
  refused(await root.query('review_activity', { activityId: NOBODY }), [404, 'UNSPECIFIED', /activity not found/]);
});
