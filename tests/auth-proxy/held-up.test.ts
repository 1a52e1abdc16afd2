import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { enabledProxy, type TestProxy } from '../support/auth-proxy.ts';
import { newKeys, resultOf, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedIssuer } from '../support/oidc.ts';
import { nonceOf } from '../support/published.ts';
import { refused } from '../support/refusals.ts';

/** An issuer under two names that takes questions and never answers. */
const asked: string[] = [];
const silent = createServer(({ url }) => void asked.push(url!));
await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
const { port } = silent.address() as AddressInfo;
const hosts = ['localhost', '127.0.0.1'].map((name) => `${name}:${port}`);

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance({ ...env, OUTBOUND_ALLOW: [env.OUTBOUND_ALLOW, ...hosts].join(',') });
const { root } = instance;
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});
after(() => {
  silent.closeAllConnections();
  silent.close();
});

/** As many as all places of one payer, of issuers that do not answer. */
const tokens = () => Array.from({ length: 8 }, (_, i) => issuer.signNow({ iss: `http://${hosts[i % 2]}/${i}`, sub: 'stranger' }));

async function account(sub: string): Promise<void> {
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: issuer.signNow({ sub }) }];
  const rootUsers = [{ ...userWith(sub, [newKeys()]), oauthProviders }];
  const sent = { subOrganizationName: sub, rootQuorumThreshold: 1, rootUsers };
  resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', sent), 'createSubOrganizationResultV8');
}

async function logsIn(sub: string): Promise<void> {
  // No process has its new keys yet.
  await issuer.rotate();
  instance.clock.advance(700_000);
  const { publicKey } = newKeys();
  const oidcToken = issuer.signNow({ sub, nonce: nonceOf(publicKey) });
  const login = await proxy.ask('oauth_login', { oidcToken, publicKey });
  assert.equal(login.status, 200, login.text);
}

test('tokens that are of nobody here make us ask nobody', async () => {
  await account('known');
  const flood = tokens().flatMap((oidcToken) => [
    proxy.ask('oauth_login', { oidcToken, publicKey: newKeys().publicKey }),
    proxy.ask('account', { filterType: 'OIDC_TOKEN', filterValue: oidcToken }),
    proxy.ask('account', { filterType: 'EMAIL', filterValue: 'somebody@example.com', oidcToken }),
  ]);
  await logsIn('known');
  for (const [i, answer] of (await Promise.all(flood)).entries())
    if (i % 3 === 0) refused(answer, [403, 'FORBIDDEN', /no user has this OAuth account/]);
    else assert.deepEqual([answer.status, answer.body], [200, {}]);
  assert.deepEqual(asked, []);
});

test('sign-ups with issuers that do not answer keep nobody from a login', async () => {
  await account('known too');
  const none = { apiKeys: [], authenticators: [] };
  const places = new Promise<void>((taken) => {
    silent.on('request', () => asked.length === 8 && taken());
  });
  const flood = tokens().map((oidcToken) =>
    proxy.ask('signup_v2', { ...none, oauthProviders: [{ providerName: 'Stranger', oidcToken }] }),
  );
  await places;
  await logsIn('known too');
  silent.closeAllConnections();
  for (const answer of await Promise.all(flood))
    refused(answer, [503, 'UNAVAILABLE', /keys of the token's issuer cannot be read now/]);
});
