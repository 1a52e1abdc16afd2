import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);

test('a write that waits for an identity provider in its turn holds no other write up', async (t) => {
  const { organizationId, clients, userIds } = await instance.newSubOrganization('Slow', 1, 1);
  const client = clients[0]!;
  const { engine } = instance;
  const { oidc, load } = engine;
  const { verify } = oidc;
  const slow = Promise.withResolvers<void>();
  const inTurn = Promise.withResolvers<void>();
  const tokens: string[] = [];
  t.mock.method(oidc, 'verify', async (...asked: Parameters<typeof verify>) => {
    const token = JSON.stringify(asked[0]);
    const isFirst = !tokens.includes(token);
    if (isFirst) {
      // The first decision is outdated by the time it is written. The next one is made in the organization's turn.
      tokens.push(token);
      const policy = { policyName: `policy ${tokens.length}`, effect: 'EFFECT_ALLOW', condition: 'false', notes: '' };
      resultOf(await client.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
    } else if (token === tokens[0]) {
      inTurn.resolve();
      await slow.promise;
    }
    return verify(...asked);
  });
  const turns = t.mock.method(engine, 'writing', engine.writing);
  const newProvider = (sub: string) => {
    const oauthProviders = [{ providerName: sub, oidcToken: issuer.signNow({ sub }) }];
    return client.submit('CREATE_OAUTH_PROVIDERS_V2', { userId: userIds[0], oauthProviders });
  };
  const held = newProvider('slow');
  await inTurn.promise;
  assert.equal(load.submits, 0, 'no commit waits for it');
  resultOf(await newProvider('other'), 'createOauthProvidersResultV2');
  assert.deepEqual(
    turns.mock.calls.map((call) => call.arguments),
    [[organizationId], [organizationId]],
  );
  slow.resolve();
  // The other was written meanwhile.
  resultOf(await held, 'createOauthProvidersResultV2');
  assert.equal(turns.mock.callCount(), 3);
  assert.equal(load.submits, 0);
});
