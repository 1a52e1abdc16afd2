import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { refused } from '../../support/refusals.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
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
