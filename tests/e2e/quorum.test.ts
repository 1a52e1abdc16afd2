import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { agreed, count, mayVote } from '../activities/support.ts';
import {
  type Client,
  ethereumAccount,
  freshTimestamp,
  newKeys,
  post,
  resultOf,
  submitPath,
  userWith,
} from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';
import {
  activityOf,
  approvalOf,
  approvedBy,
  denied,
  newPolicy,
  newTag,
  newWallet,
  policyParameters,
  publishedHttp,
  publishedServer,
  refusedWith,
  rejectionOf,
  signing,
  stampHolds,
  waitingIn,
} from './authority.ts';

const HOUR = 60 * 60 * 1000;
/** The service's time may be a little ahead of the machine's clock at first, and then runs slower. */
const SOON = 1000;

const instance = await sharedInstance();

const wallet = (walletName = 'Treasury') => ({ walletName, accounts: [ethereumAccount()] });

/** Three root users of whom `threshold` must agree. */
async function three(name: string, threshold = 2) {
  const { organizationId, clients, userIds } = await instance.newSubOrganization(name, 3, threshold);
  const [first, second, third] = clients as [Client, Client, Client];
  return { organizationId, first, second, third, userIds, clients: [first, second] as const };
}

const approve = (client: Client, fingerprint: string) => client.submit('APPROVE_ACTIVITY', { fingerprint });
const reject = (client: Client, fingerprint: string) => client.submit('REJECT_ACTIVITY', { fingerprint });

describe('two of three root users', () => {
  test('approve by fingerprint with @turnkey/http: answered with the target, which ran once', async () => {
    const { organizationId, first, second, third, userIds } = await three('By fingerprint');
    const [a, b, c] = [first, second, third].map((client) => publishedHttp(instance, client.keys)) as [
      ReturnType<typeof publishedHttp>,
      ReturnType<typeof publishedHttp>,
      ReturnType<typeof publishedHttp>,
    ];
    const body = {
      type: 'ACTIVITY_TYPE_CREATE_WALLET' as const,
      timestampMs: freshTimestamp(instance.clock.now()),
      organizationId,
      parameters: wallet(),
    };
    const { activity: waiting } = await a.createWallet(body as never);
    assert.equal(waiting.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(waiting.fingerprint, `sha256:${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`);
    assert.equal(waiting.votes.length, 1);
    assert.deepEqual(await mayVote(first, waiting.id), [false, true]);
    assert.deepEqual(await mayVote(second, waiting.id), [true, true]);
    assert.deepEqual(await mayVote(third, waiting.id), [true, true]);
    assert.equal(await count(first, 'list_wallets', 'wallets'), 0, 'nothing is done before they agree');

    const approval = approvalOf(instance, second, waiting.fingerprint);
    const { activity: done } = await b.approveActivity(approval);
    assert.equal(done.id, waiting.id);
    assert.equal(done.type, 'ACTIVITY_TYPE_CREATE_WALLET');
    assert.equal(done.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.deepEqual(Object.keys(done.intent), ['createWalletIntent']);
    assert.equal(done.result.createWalletResult?.addresses.length, 1);
    assert.deepEqual([done.canApprove, done.canReject], [false, false]);
    for (const client of [first, second, third]) assert.deepEqual(await mayVote(client, waiting.id), [false, false]);

    // The votes as the wire has them.
    assert.equal(done.votes.length, 2);
    const sent = [JSON.stringify(body), JSON.stringify(approval)];
    for (const [i, vote] of done.votes.entries()) {
      const client = [first, second][i]!;
      assert.equal(vote.userId, userIds[i]);
      assert.equal(vote.user.userId, userIds[i]);
      assert.equal(vote.user.userName, `By fingerprint ${i}`);
      assert.equal(vote.activityId, waiting.id);
      assert.equal(vote.selection, 'VOTE_SELECTION_APPROVED');
      assert.equal(vote.message, sent[i]);
      assert.equal(vote.publicKey, client.keys.publicKey);
      assert.equal(vote.scheme, 'SIGNATURE_SCHEME_TK_API_P256');
      assert.ok(stampHolds(vote), 'the signature is one of the message by the key');
      assert.match(vote.createdAt.seconds, /^\d+$/);
      assert.match(vote.createdAt.nanos, /^\d+$/);
      assert.ok(Math.abs(Number(vote.createdAt.seconds) * 1000 - instance.clock.now()) < HOUR);
      assert.match(vote.id, /^[0-9a-f-]{36}$/);
    }
    assert.notEqual(done.votes[0]!.id, done.votes[1]!.id);

    // A third approval comes too late, and changes nothing.
    await assert.rejects(c.approveActivity(approvalOf(instance, third, waiting.fingerprint)), refusedWith(7, /has ended/));
    assert.equal(await count(first, 'list_wallets', 'wallets'), 1, 'it ran once');
    assert.deepEqual((await activityOf(second, waiting.id)).votes, done.votes);

    // The same approval again is answered with the target again.
    const again = await second.send(submitPath('APPROVE_ACTIVITY'), JSON.stringify(approval));
    assert.deepEqual(again.body.activity, JSON.parse(JSON.stringify(done)));

    // An approval is an activity of its own.
    const { activities } = (await first.query('list_activities')).body;
    assert.deepEqual(
      activities.map((each: { type: string; status: string }) => [each.type, each.status]),
      [
        ['ACTIVITY_TYPE_APPROVE_ACTIVITY', 'ACTIVITY_STATUS_FAILED'],
        ['ACTIVITY_TYPE_APPROVE_ACTIVITY', 'ACTIVITY_STATUS_COMPLETED'],
        ['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_STATUS_COMPLETED'],
      ],
    );
    const own = activities[1];
    assert.deepEqual(own.intent, { approveActivityIntent: { fingerprint: waiting.fingerprint } });
    assert.deepEqual(own.result, { approveActivityResult: {} });
    assert.deepEqual(
      own.votes.map((vote: { userId: string; message: string }) => [vote.userId, vote.message]),
      [[userIds[1], JSON.stringify(approval)]],
    );
    assert.equal(own.fingerprint, `sha256:${createHash('sha256').update(JSON.stringify(approval)).digest('hex')}`);
  });

  test("another root user's identical body counts as their approval", async () => {
    const { organizationId, first, second, third } = await three('By body');
    const body = {
      type: 'ACTIVITY_TYPE_CREATE_WALLET' as const,
      timestampMs: freshTimestamp(instance.clock.now()),
      organizationId,
      parameters: wallet(),
    };
    const { activity: waiting } = await publishedHttp(instance, first.keys).createWallet(body as never);
    assert.equal(waiting.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    const { activity: done } = await publishedHttp(instance, third.keys).createWallet(body as never);
    assert.equal(done.id, waiting.id);
    assert.equal(done.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.deepEqual(
      done.votes.map((vote) => vote.message),
      [JSON.stringify(body), JSON.stringify(body)],
    );
    assert.deepEqual(new Set(done.votes.map((vote) => vote.publicKey)), new Set([first.keys.publicKey, third.keys.publicKey]));
    const { activity: late } = await publishedHttp(instance, second.keys).createWallet(body as never);
    assert.equal(late.votes.length, 2, 'a finished activity takes no more votes');
    assert.equal(await count(first, 'list_wallets', 'wallets'), 1);
    const { activities } = (await first.query('list_activities')).body;
    assert.equal(activities.length, 1, 'such an approval is no activity of its own');
  });

  test('a rejection is final', async () => {
    const { first, second, third, userIds } = await three('Rejects');
    const body = first.bodyOf('CREATE_WALLET', wallet());
    const waiting = waitingIn(await first.send(submitPath('CREATE_WALLET'), body));
    const rejection = rejectionOf(instance, second, waiting.fingerprint);
    const { activity: rejected } = await publishedHttp(instance, second.keys).rejectActivity(rejection);
    assert.equal(rejected.id, waiting.id);
    assert.equal(rejected.status, 'ACTIVITY_STATUS_REJECTED');
    assert.deepEqual(
      rejected.votes.map((vote) => [vote.userId, vote.selection]),
      [
        [userIds[0], 'VOTE_SELECTION_APPROVED'],
        [userIds[1], 'VOTE_SELECTION_REJECTED'],
      ],
    );
    assert.equal(rejected.votes[1]!.message, JSON.stringify(rejection));
    assert.ok(stampHolds(rejected.votes[1]!));
    assert.ok(!('createWalletResult' in rejected.result));
    for (const client of [first, second, third]) {
      denied(await approve(client, waiting.fingerprint), /not authorized: the activity has ended/);
      denied(await reject(client, waiting.fingerprint), /not authorized: the activity has ended/);
      assert.deepEqual(await mayVote(client, waiting.id), [false, false]);
    }
    const same = await third.send(submitPath('CREATE_WALLET'), body);
    assert.equal(same.body.activity.status, 'ACTIVITY_STATUS_REJECTED');
    assert.equal(same.body.activity.votes.length, 2);
    assert.equal(await count(first, 'list_wallets', 'wallets'), 0);
    const { activities } = (await first.query('list_activities', { filterByType: ['ACTIVITY_TYPE_REJECT_ACTIVITY'] })).body;
    const [own] = activities.filter((each: { status: string }) => each.status === 'ACTIVITY_STATUS_COMPLETED');
    assert.deepEqual(own.intent, { rejectActivityIntent: { fingerprint: waiting.fingerprint } });
  });

  test('the submitter may take a request back', async () => {
    const { first, second } = await three('Takes back');
    const waiting = waitingIn(await first.submit('CREATE_WALLET', wallet()));
    const answer = await reject(first, waiting.fingerprint);
    assert.equal(answer.body.activity.status, 'ACTIVITY_STATUS_REJECTED', answer.text);
    denied(await approve(second, waiting.fingerprint), /has ended/);
  });

  test('a failure of the activity is told to the voter who completed it', async () => {
    const { first, second } = await three('Fails');
    const parameters = { walletId: NOBODY, accounts: [ethereumAccount()] };
    const waiting = waitingIn(await first.submit('CREATE_WALLET_ACCOUNTS', parameters));
    const failed = await approve(second, waiting.fingerprint);
    assert.equal(failed.status, 200, failed.text);
    assert.equal(failed.body.activity.id, waiting.id);
    assert.equal(failed.body.activity.status, 'ACTIVITY_STATUS_FAILED');
    assert.equal(failed.body.activity.failure.code, 5);
    assert.match(failed.body.activity.failure.message, /wallet not found/);
    assert.equal(failed.body.activity.votes.length, 2);
  });

  test('one person twice is one person', async () => {
    const { first, second } = await three('Twice');
    const waiting = waitingIn(await first.submit('CREATE_WALLET', wallet()));
    waitingIn(await approve(first, waiting.fingerprint));
    assert.equal((await activityOf(second, waiting.id)).votes.length, 1);
  });
});

test('a fingerprint that names nothing to vote on is not found', async () => {
  const { first, second } = await three('Unknown');
  const elsewhere = await three('Elsewhere');
  const theirs = waitingIn(await elsewhere.first.submit('CREATE_WALLET', wallet()));
  const text = 'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint';
  const waiting = waitingIn(await first.submit('CREATE_WALLET', wallet()));
  const vote = second.bodyOf('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  assert.equal((await second.send(submitPath('APPROVE_ACTIVITY'), vote)).status, 200);
  const ofVote = `sha256:${createHash('sha256').update(vote).digest('hex')}`;
  for (const fingerprint of [`sha256:${'0'.repeat(64)}`, theirs.fingerprint, ofVote, waiting.id]) {
    for (const cast of [approve, reject]) {
      const answer = await cast(second, fingerprint);
      assert.equal(answer.status, 404, answer.text);
      assert.equal(answer.body.code, 5);
      assert.equal(answer.body.message, text);
    }
  }
  await assert.rejects(
    publishedHttp(instance, second.keys).approveActivity(approvalOf(instance, second, `sha256:${'1'.repeat(64)}`)),
    refusedWith(5, /No activity found with fingerprint\./),
  );
  assert.equal((await activityOf(elsewhere.second, theirs.id)).votes.length, 1);
});

describe('the approval window of 24 hours', () => {
  test('an approval at its last moment counts', async () => {
    const { first, second } = await three('Just in time');
    const waiting = waitingIn(await first.submit('CREATE_WALLET', wallet()));
    instance.clock.advance(24 * HOUR - 60_000);
    assert.deepEqual(await mayVote(first, waiting.id), [false, true]);
    assert.equal((await approve(second, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });

  test('later, approvals have lapsed and must be given again, while the activity goes on waiting', async () => {
    const { first, second, third } = await three('Renews', 3);
    const body = first.bodyOf('CREATE_WALLET', wallet());
    const waiting = waitingIn(await first.send(submitPath('CREATE_WALLET'), body));
    waitingIn(await approve(second, waiting.fingerprint));
    instance.clock.advance(24 * HOUR + SOON);
    const lapsed = await activityOf(first, waiting.id);
    assert.equal(lapsed.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(lapsed.votes.length, 2, 'what was signed stays on record');
    assert.deepEqual([lapsed.canApprove, lapsed.canReject], [true, true]);

    assert.equal(waitingIn(await approve(third, waiting.fingerprint)).votes.length, 3);
    // The identical body is answered with the state of the activity. Its stamp is on record, so it renews nothing.
    assert.equal(waitingIn(await first.send(submitPath('CREATE_WALLET'), body)).votes.length, 3);
    const renewed = waitingIn(await approve(first, waiting.fingerprint));
    assert.equal(renewed.votes.length, 4);
    assert.deepEqual([renewed.canApprove, renewed.canReject], [false, true]);
    assert.equal(waitingIn(await approve(first, waiting.fingerprint)).votes.length, 4, 'once');
    const done = await approve(second, waiting.fingerprint);
    assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
    assert.equal(done.body.activity.votes.length, 5);
    assert.equal(await count(first, 'list_wallets', 'wallets'), 1);
  });

  test('a lapsed approval is not renewed by sending its recorded stamp again', async () => {
    const { first, second } = await three('Replayed stamp');
    const waiting = waitingIn(await first.submit('CREATE_WALLET', wallet()));
    instance.clock.advance(25 * HOUR);
    const [{ message, publicKey, scheme, signature }] = (await activityOf(second, waiting.id)).votes;
    const stamp = Buffer.from(JSON.stringify({ publicKey, scheme, signature })).toString('base64url');
    const replayed = await post(`${instance.url}${submitPath('CREATE_WALLET')}`, message, { 'x-stamp': stamp });
    assert.equal(waitingIn(replayed).votes.length, 1, 'answered, and nothing more');
    // The first user's approval lapsed, so the second one's does not complete the activity.
    assert.equal(waitingIn(await approve(second, waiting.fingerprint)).votes.length, 2);
    assert.equal((await approve(first, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });

  test('the new window opens with the first new approval', async () => {
    const { first, second, third } = await three('Window', 3);
    const waiting = waitingIn(await first.submit('CREATE_WALLET', wallet()));
    instance.clock.advance(30 * HOUR);
    waitingIn(await approve(second, waiting.fingerprint));
    instance.clock.advance(23 * HOUR);
    waitingIn(await approve(third, waiting.fingerprint));
    instance.clock.advance(HOUR);
    // The window that the second user's approval opened has ended: that approval and the third user's lapsed together.
    waitingIn(await approve(first, waiting.fingerprint));
    waitingIn(await approve(second, waiting.fingerprint));
    assert.equal((await approve(third, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });
});

/** Users without any rights, of whom two with a tag may sign with one wallet together. */
async function taggedSigners(policy = { needed: 2 }) {
  const { root } = instance;
  const people = await Promise.all(['Ann', 'Ben', 'Cem', 'Outsider'].map((name) => instance.newUser(name)));
  const [ann, ben, cem, outsider] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0], (typeof people)[0]];
  const tagId = await newTag(root, [ann.userId, ben.userId, cem.userId]);
  const { walletId, addresses } = await newWallet(root);
  const condition = `activity.action == 'SIGN' && wallet.id == '${walletId}'`;
  const consensus = (needed: number) => `approvers.filter(u, u.tags.contains('${tagId}')).count() >= ${needed}`;
  const policyId = await newPolicy(root, { condition, consensus: consensus(policy.needed) });
  return { root, ann, ben, cem, outsider, tagId, walletId, address: addresses[0]!, policyId, condition, consensus };
}

describe('a policy whose consensus is two people with a tag', () => {
  test('they submit and approve; no other user can', async () => {
    const { ann, ben, outsider, address, root, tagId } = await taggedSigners();
    denied(await outsider.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)), /No policies evaluated to outcome: Allow/);
    const body = ann.client.bodyOf('SIGN_RAW_PAYLOAD_V2', signing(address));
    const waiting = waitingIn(await ann.client.send(submitPath('SIGN_RAW_PAYLOAD'), body));
    assert.deepEqual(await mayVote(ann.client, waiting.id), [false, true]);
    assert.deepEqual(await mayVote(ben.client, waiting.id), [true, true]);
    assert.deepEqual(await mayVote(root, waiting.id), [true, true]);
    assert.deepEqual(await mayVote(outsider.client, waiting.id), [false, false]);
    denied(await approve(outsider.client, waiting.fingerprint), /not authorized/);
    denied(await reject(outsider.client, waiting.fingerprint), /not authorized/);
    denied(await outsider.client.send(submitPath('SIGN_RAW_PAYLOAD'), body), /not authorized/);

    const done = await publishedServer(instance, ben.keys, root.organizationId).approveActivity({
      timestampMs: freshTimestamp(instance.clock.now()),
      fingerprint: waiting.fingerprint,
    });
    const { activity } = done as unknown as {
      // biome-ignore lint/suspicious/noExplicitAny: the result is that of the target
      activity: { id: string; status: string; result: any; votes: { userId: string; user: { userTags: string[] } }[] };
    };
    assert.equal(activity.id, waiting.id);
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.match(activity.result.signRawPayloadResult.r, /^[0-9a-f]{64}$/);
    assert.deepEqual(
      activity.votes.map((vote) => [vote.userId, vote.user.userTags]),
      [
        [ann.userId, [tagId]],
        [ben.userId, [tagId]],
      ],
    );
  });

  test('one of them may reject; a root user alone may complete it', async () => {
    const { ann, ben, address, root } = await taggedSigners();
    const first = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    assert.equal((await reject(ben.client, first.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_REJECTED');
    denied(await approve(root, first.fingerprint), /has ended/);
    const second = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    assert.equal((await approve(root, second.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });

  test('the vote of a user who was deleted meanwhile no longer counts', async () => {
    const { ann, ben, cem, address, root } = await taggedSigners();
    const waiting = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    resultOf(await root.submit('DELETE_USERS', { userIds: [ann.userId] }), 'deleteUsersResult');
    const still = waitingIn(await approve(ben.client, waiting.fingerprint));
    assert.equal(still.votes.length, 2, 'it stays on record');
    assert.equal(still.votes[0].userId, ann.userId);
    const done = await approve(cem.client, waiting.fingerprint);
    assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
  });

  test('nor does one whose credential was deleted; the user may vote again with another', async () => {
    const { ann, ben, address, root } = await taggedSigners();
    const spare = newKeys();
    resultOf(
      await root.submit('CREATE_API_KEYS_V2', {
        userId: ann.userId,
        apiKeys: [{ apiKeyName: 'spare', publicKey: spare.publicKey, curveType: 'API_KEY_CURVE_P256' }],
      }),
      'createApiKeysResult',
    );
    const waiting = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    const { apiKeys } = (await root.query('get_api_keys', { userId: ann.userId })).body;
    const stamped = apiKeys.find(
      (each: { credential: { publicKey: string } }) => each.credential.publicKey === ann.keys.publicKey,
    );
    resultOf(await root.submit('DELETE_API_KEYS', { userId: ann.userId, apiKeyIds: [stamped.apiKeyId] }), 'deleteApiKeysResult');
    waitingIn(await approve(ben.client, waiting.fingerprint));
    const done = await approve(root.as(spare), waiting.fingerprint);
    assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
  });

  test('a tag taken away while it waits takes the approval with it', async () => {
    const { ann, ben, cem, address, root, tagId } = await taggedSigners();
    const waiting = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    resultOf(
      await root.submit('UPDATE_USER_TAG', { userTagId: tagId, addUserIds: [], removeUserIds: [ann.userId] }),
      'updateUserTagResult',
    );
    // Ann's approval is live but does not advance the policy now: with it among the voters, no user can complete the activity.
    denied(await approve(ben.client, waiting.fingerprint));
    resultOf(
      await root.submit('UPDATE_USER_TAG', { userTagId: tagId, addUserIds: [ann.userId], removeUserIds: [] }),
      'updateUserTagResult',
    );
    assert.equal((await approve(cem.client, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });

  test('a policy that is changed while it waits applies', async () => {
    const { ann, ben, cem, address, root, policyId, consensus } = await taggedSigners();
    const waiting = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    const update = (policyConsensus: string) => root.submit('UPDATE_POLICY_V2', { policyId, policyConsensus });
    resultOf(await update(consensus(3)), 'updatePolicyResultV2');
    waitingIn(await approve(ben.client, waiting.fingerprint));
    const done = await approve(cem.client, waiting.fingerprint);
    assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
  });

  test('and one that is deleted while it waits allows nothing any more', async () => {
    const { ann, ben, address, root, policyId } = await taggedSigners();
    const waiting = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    resultOf(await root.submit('DELETE_POLICIES', { policyIds: [policyId] }), 'deletePoliciesResult');
    assert.deepEqual(await mayVote(ben.client, waiting.id), [false, false]);
    denied(await approve(ben.client, waiting.fingerprint), /not authorized/);
    assert.equal((await activityOf(root, waiting.id)).status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal((await approve(root, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });

  test('a vote that would complete a DENY is refused, and the activity goes on waiting', async () => {
    const { ann, ben, cem, address, root, condition } = await taggedSigners();
    const deny = await newPolicy(root, {
      effect: 'EFFECT_DENY',
      condition,
      consensus: approvedBy(ben.userId),
    });
    const waiting = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    denied(await approve(ben.client, waiting.fingerprint), new RegExp(`The following policies denied this action: ${deny}`));
    const unchanged = await activityOf(root, waiting.id);
    assert.equal(unchanged.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(unchanged.votes.length, 1);
    assert.equal((await approve(cem.client, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });

  test('approvals of a policy lapse after 24 hours too', async () => {
    const { ann, ben, address } = await taggedSigners();
    const waiting = waitingIn(await ann.client.submit('SIGN_RAW_PAYLOAD_V2', signing(address)));
    instance.clock.advance(25 * HOUR);
    waitingIn(await approve(ben.client, waiting.fingerprint));
    assert.equal((await approve(ann.client, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  });
});

test('no policy grants what is for the root quorum only', async () => {
  const { first, second, clients, userIds } = await three('Root only');
  const keys = newKeys();
  const users = [{ ...userWith('Delegate', [keys]), userTags: [] }];
  const { userIds: added } = resultOf(await agreed({ clients }, 'CREATE_USERS_V4', { users }), 'createUsersResult');
  const consensus = approvedBy(added[0]);
  resultOf(await agreed({ clients }, 'CREATE_POLICY_V3', policyParameters({ consensus })), 'createPolicyResult');
  const delegate = first.as(keys);
  resultOf(await delegate.submit('CREATE_WALLET', wallet('By the delegate')), 'createWalletResult');
  const rootOnly: [string, unknown][] = [
    ['UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [added[0]] }],
    ['UPDATE_ORGANIZATION_NAME', { organizationName: 'Taken over' }],
    ['SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_EMAIL_AUTH', value: '' }],
    ['REMOVE_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_EMAIL_AUTH' }],
  ];
  for (const [type, parameters] of rootOnly) denied(await delegate.submit(type, parameters));

  const waiting = waitingIn(await first.submit('UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [...userIds] }));
  assert.deepEqual(await mayVote(delegate, waiting.id), [false, false]);
  denied(await approve(delegate, waiting.fingerprint), /not authorized/);
  denied(await reject(delegate, waiting.fingerprint), /not authorized/);
  assert.equal((await approve(second, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  // One root user is enough now.
  resultOf(await second.submit('CREATE_WALLET', wallet('Alone')), 'createWalletResult');
});

test('no DENY binds the root quorum, and one root user of several still parks what a DENY matches', async () => {
  const { first, second, clients } = await three('Denied');
  resultOf(await agreed({ clients }, 'CREATE_POLICY_V3', policyParameters({ effect: 'EFFECT_DENY' })), 'createPolicyResult');
  const waiting = waitingIn(await first.submit('CREATE_WALLET', wallet()));
  assert.equal((await approve(second, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
});

test('the vote of a user who left the quorum meanwhile does not block its members', async () => {
  const { first, second, third, userIds } = await three('Leaves');
  const waiting = waitingIn(await first.submit('UPDATE_ORGANIZATION_NAME', { organizationName: 'Renamed' }));
  const parameters = { threshold: 2, userIds: userIds.slice(1) };
  resultOf(await agreed({ clients: [second, third] }, 'UPDATE_ROOT_QUORUM', parameters), 'updateRootQuorumResult');
  assert.deepEqual(await mayVote(second, waiting.id), [true, true]);
  waitingIn(await approve(second, waiting.fingerprint));
  assert.equal((await approve(third, waiting.fingerprint)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
});
