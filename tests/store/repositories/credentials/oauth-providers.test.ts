import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { identityDigest } from '../../../../src/model/oauth-provider.ts';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, oauthProviderOf, openMigrated, userOf } from '../../fixture.ts';

const org = idOf('org');
const [parent, sub] = [idOf('parent'), idOf('sub')];
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, 'org', null));
  await opened.store.transaction((tx) => fill(tx, 'parent', null));
  await opened.store.transaction((tx) => fill(tx, 'sub', 'parent'));
});
after(() => opened.close());

test(`a written row is read back as it was, on ${engineName}`, async () => {
  const { store } = opened;
  const long = { issuer: `https://${'ü'.repeat(500)}`, audience: '文'.repeat(512), subject: '😀'.repeat(127) };
  const row = { ...oauthProviderOf('org', 'another', 'subject'), ...long };
  assert.equal(await store.transaction((tx) => tx.oauthProviders.insert(row)), true);
  assert.deepEqual(await store.read.oauthProviders.get(org, row.id), row);
  assert.deepEqual(await store.read.oauthProviders.byIdentity(org, long), row);
  assert.deepEqual(await store.read.oauthProviders.byIdentity(org, { ...long, audience: 'other' }), undefined);
  assert.equal(await store.transaction((tx) => tx.oauthProviders.remove(org, row.id, NOW)), true);
  assert.equal(await store.read.oauthProviders.get(org, row.id), undefined);
  assert.equal(await store.transaction((tx) => tx.oauthProviders.remove(org, row.id, NOW)), false);
});

test('an identity is one provider in an organization, and may be one in each of several', async () => {
  const { store } = opened;
  const again = oauthProviderOf('org', 'again', 'subject of org');
  assert.equal(await store.transaction((tx) => tx.oauthProviders.insert(again)), false);
  const elsewhere = oauthProviderOf('sub', 'again', 'subject of org', 'parent');
  assert.equal(await store.transaction((tx) => tx.oauthProviders.insert(elsewhere)), true);
  const found = await store.read.oauthProviders.inSubOrganizations(parent, elsewhere, 2);
  assert.deepEqual(found, [elsewhere]);
  const filter = { by: 'OIDC_IDENTITY' as const, values: [identityDigest(elsewhere)] };
  assert.deepEqual(await store.read.organizations.subOrganizationIds(parent, filter, { limit: 10 }), [sub]);
  assert.deepEqual(await store.read.organizations.subOrganizationIds(org, filter, { limit: 10 }), []);
});

test('the parts of an identity cannot be exchanged', () => {
  const digests = [
    { issuer: 'a', audience: 'b', subject: 'c' },
    { issuer: 'a', audience: 'c', subject: 'b' },
    { issuer: 'ab', audience: '', subject: 'c' },
    { issuer: 'a","b', audience: 'c', subject: '' },
  ].map(identityDigest);
  assert.equal(new Set(digests).size, digests.length);
});

test('a user’s providers are in its earlier versions, and go with the user', async () => {
  const { store } = opened;
  const user = userOf('org', 'holder');
  const row = { ...oauthProviderOf('org', 'of holder', 'holder'), userId: user.id };
  const { version } = (await store.read.organizations.get(org))!;
  await store.transaction(async (tx) => {
    await tx.users.insert(user);
    await tx.oauthProviders.insert(row);
  });
  assert.equal((await store.read.organizations.get(org))!.version, version, 'the first of a new user changes no facts');
  await store.transaction((tx) => tx.oauthProviders.insert({ ...row, id: idOf('second'), subject: 'second' }));
  assert.equal((await store.read.organizations.get(org))!.version, version + 1);
  assert.deepEqual((await store.read.users.past(org, user.id, 1))!.oauthProviders, [row]);
  assert.equal((await store.read.userStates.get(org, user.id))!.oauthProviders!.length, 2);
  await store.transaction((tx) => tx.users.remove(org, user.id, NOW));
  assert.deepEqual(await store.read.oauthProviders.listByUser(org, user.id), []);
});
