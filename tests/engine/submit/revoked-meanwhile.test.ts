import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { refused } from '../../support/refusals.ts';

const { issuer, env } = await sharedIssuer();
// No node listens there: an accepted send is stored before one is asked.
const instance = await sharedInstance({ ...env, RPC_URL_EIP155_31337: 'http://127.0.0.1:9' });
const { root } = instance;

/** Holds what is asked of the issuer until it is released. */
function holding(path: string) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  issuer.answer(path, async (_, response) => {
    asked.resolve();
    await released.promise;
    issuer.answer(path, undefined);
    const answer = await fetch(`${issuer.url}${path}`);
    response.setHeader('content-type', 'application/json').end(await answer.text());
  });
  return { asked: asked.promise, release: () => released.resolve() };
}

test('an allowed activity is refused if its policy is deleted before the write: its transaction checks the facts of the decision', async () => {
  const { client, userId } = await instance.newUser('Helper');
  const other = await instance.newUser('Helped');
  const condition = "activity.kind == 'CREATE_OAUTH_PROVIDERS'";
  const policyId = await newPolicy(root, { condition, consensus: approvedBy(userId) });
  const oauthProviders = [{ providerName: 'Late', oidcToken: issuer.signNow({ sub: 'late' }) }];

  // The decision comes before the issuer is asked, and the transaction after it.
  const issuerAnswers = holding('/.well-known/openid-configuration');
  const submitted = client.submit('CREATE_OAUTH_PROVIDERS_V2', { userId: other.userId, oauthProviders });
  await issuerAnswers.asked;
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
  issuerAnswers.release();

  refused(await submitted, [403, 'REQUEST_NOT_AUTHORIZED', /^You don't have sufficient permissions/]);
  const { oauthProviders: stored } = (await root.query('get_oauth_providers', { userId: other.userId })).body;
  assert.deepEqual(stored, []);
});

/** Deletes a policy after the decision of the next request, and before its transaction. */
function deletedBeforeWrite(t: TestContext, policyId: string): void {
  const { store } = instance.engine;
  const { transaction } = store;
  const mocked = t.mock.method(store, 'transaction', async (...given: Parameters<typeof transaction>) => {
    // Workers write too.
    if (!new Error().stack!.includes('/engine/submit/')) return transaction(...given);
    mocked.mock.restore();
    resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
    return transaction(...given);
  });
}

test('so is a send, whose transaction checks them last', async (t) => {
  const { client, userId } = await instance.newUser('Sender');
  const condition = "activity.kind == 'ETH_SEND_RAW_TRANSACTION'";
  const policyId = await newPolicy(root, { condition, consensus: approvedBy(userId) });
  const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  const transaction = { type: 'eip1559', chainId: 31337, nonce: 0, to, value: 1n, ...fees } as const;
  const signedTransaction = await privateKeyToAccount(generatePrivateKey()).signTransaction(transaction);
  const sends = async () => Number((await instance.raw('SELECT COUNT(*) AS n FROM sends'))[0]!.n);

  const before = await sends();
  deletedBeforeWrite(t, policyId);
  const answer = await client.submit('ETH_SEND_RAW_TRANSACTION', { signedTransaction, caip2: 'eip155:31337' });
  refused(answer, [403, 'REQUEST_NOT_AUTHORIZED', /^You don't have sufficient permissions/]);
  assert.equal(await sends(), before);
});

/** An activity that waits for two of three users, by a policy. */
async function waiting(): Promise<{ voter: Client; policyId: string; activityId: string; fingerprint: string }> {
  const users = [await instance.newUser('One'), await instance.newUser('Two'), await instance.newUser('Three')] as const;
  const consensus = users.map(({ userId }) => approvedBy(userId)).join(' && ');
  const policyId = await newPolicy(root, { condition: "activity.kind == 'CREATE_USER_TAG'", consensus });
  const asked = await users[0].client.submit('CREATE_USER_TAG', { userTagName: `by ${policyId}`, userIds: [] });
  const { id: activityId, fingerprint } = asked.body.activity;
  return { voter: users[1].client, policyId, activityId, fingerprint };
}

for (const type of ['APPROVE_ACTIVITY', 'REJECT_ACTIVITY'])
  test(`so is ${type === 'APPROVE_ACTIVITY' ? 'an approval that others must join' : 'a rejection'}, of which nothing is kept`, async (t) => {
    const { voter, policyId, activityId, fingerprint } = await waiting();
    deletedBeforeWrite(t, policyId);
    refused(await voter.submit(type, { fingerprint }), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
    const { activity } = (await root.query('get_activity', { activityId })).body;
    assert.deepEqual([activity.status, activity.votes.length], ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1]);
  });

test('so is an approval by a user who has approved already, of which no record is kept', async (t) => {
  const { voter, policyId, activityId, fingerprint } = await waiting();
  const records = async () =>
    Number(
      (
        await instance.raw(
          "SELECT COUNT(*) AS n FROM activities WHERE type LIKE '%APPROVE_ACTIVITY' AND status LIKE '%COMPLETED'",
        )
      )[0]!.n,
    );
  assert.equal((await voter.submit('APPROVE_ACTIVITY', { fingerprint })).status, 200);
  const before = await records();
  deletedBeforeWrite(t, policyId);
  refused(await voter.submit('APPROVE_ACTIVITY', { fingerprint }), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
  const { activity } = (await root.query('get_activity', { activityId })).body;
  assert.deepEqual([activity.status, activity.votes.length], ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 2]);
  assert.equal(await records(), before);
});
