import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { pages } from '../../queries/support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { refused, refusesEachQuery } from '../../support/refusals.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
/** Whose root user is alice, in the order of their creation. */
const alice: string[] = [];

const by = async (filterType: string, filterValue: string, paginationOptions: object = { limit: '100' }): Promise<string[]> => {
  const answer = await instance.root.query('list_suborgs', { filterType, filterValue, paginationOptions });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.organizationIds;
};
const claims = (more: object = {}) => JSON.stringify({ iss: issuer.url, aud: issuer.clientId, sub: 'alice', ...more });

before(async () => {
  for (let i = 0; i < 12; i++) {
    const provider = { providerName: 'P', oidcToken: await issuer.sign({ sub: i % 2 ? 'bob' : 'alice' }) };
    const rootUser = { userName: 'Root', apiKeys: [], authenticators: [], oauthProviders: [provider] };
    const parameters = { subOrganizationName: 'Sub', rootQuorumThreshold: 1, rootUsers: [rootUser] };
    const made = await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters);
    if (i % 2 === 0) alice.push(resultOf(made, 'createSubOrganizationResultV8').subOrganizationId);
  }
});

test('by a token, and by claims', async () => {
  assert.deepEqual(await by('OIDC_TOKEN', await issuer.signIn('alice')), alice);
  assert.deepEqual(await by('OIDC_CLAIMS', claims()), alice);
  assert.deepEqual(await by('OIDC_TOKEN', await issuer.sign({ sub: 'carol' })), []);
  for (const other of [{ sub: 'carol' }, { aud: 'ios' }, { iss: 'https://issuer.test' }])
    assert.deepEqual(await by('OIDC_CLAIMS', claims(other)), []);
});

test('pages by key in both directions', async () => {
  await pages(alice, (options) => by('OIDC_CLAIMS', claims(), options));
});

test('a token is verified first', async () => {
  const ask = (filterValue: string) => instance.root.query('list_suborgs', { filterType: 'OIDC_TOKEN', filterValue });
  refused(await ask(await issuer.sign({ exp: 1 })), [400, 'INVALID_OIDC_TOKEN', /filterValue: it has expired/], 'filterValue');
  refused(await ask('text'), [400, 'INVALID_OIDC_TOKEN', /three parts/], 'filterValue');
  issuer.answer('/jwks', (_, response) => response.writeHead(500).end());
  instance.clock.advance(700_000);
  refused(await ask(await issuer.sign()), [503, 'UNAVAILABLE', /keys of the token's issuer cannot be read now/]);
  issuer.answer('/jwks', undefined);
});

test('bad values are named', async () => {
  const filterType = 'OIDC_CLAIMS';
  await refusesEachQuery(instance.root, 'list_suborgs', [
    [{ filterType }, 'filterValue', /is required/],
    [{ filterType, filterValue: '{' }, 'filterValue', /must be JSON/],
    [{ filterType, filterValue: '[]' }, 'filterValue', /object/],
    [{ filterType, filterValue: '{"iss":"a","aud":"b"}' }, 'filterValue.sub', /is required/],
    [{ filterType: 'OIDC_TOKEN', filterValue: 'a'.repeat(16_385) }, 'filterValue', /at most 16384/],
    [{ filterType: 'NAME', filterValue: 'a'.repeat(1025) }, 'filterValue', /at most 1024/],
  ]);
});
