import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { authProxyConfigOf, proxyIdOf } from './auth-proxy-config-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  for (const id of [org, idOf('other')]) await opened.store.transaction((tx) => fill(tx, id, null));
});
after(() => opened.close());

test(`a configuration is found by its organization and by its id, as it was written and replaced, on ${engineName}`, async () => {
  const { store } = opened;
  const { authProxyConfigs } = store.read;
  assert.deepEqual(await authProxyConfigs.ofOrganization(org), authProxyConfigOf(org));
  assert.deepEqual(await authProxyConfigs.byId(proxyIdOf(org)), authProxyConfigOf(org));
  assert.equal(await authProxyConfigs.byId(idOf('nothing')), undefined);
  assert.equal(await authProxyConfigs.byId('no UUID at all'), undefined);
  assert.equal(await authProxyConfigs.ofOrganization(idOf('nobody')), undefined);

  const off = { keyId: null, publicKey: null, sealedKey: null, updatedAt: NOW + 5 };
  const settings = { ...authProxyConfigOf(org).settings, allowedOrigins: ['https://app.example.com'], otpLength: 6 };
  const replaced = { ...authProxyConfigOf(org), ...off, settings };
  await store.transaction((tx) => tx.authProxyConfigs.replace(replaced));
  assert.deepEqual(await authProxyConfigs.byId(proxyIdOf(org)), replaced);
  assert.deepEqual(await authProxyConfigs.ofOrganization(idOf('other')), authProxyConfigOf('other'), 'no other is');
});

test('an organization has one', async () => {
  const another = { ...authProxyConfigOf(org), id: idOf('another') };
  await assert.rejects(opened.store.transaction((tx) => tx.authProxyConfigs.insert(another)));
});

test('an organization names the user of its proxy', async () => {
  const { store } = opened;
  assert.equal((await store.read.organizations.get(org))?.proxyUserId, null);
  await store.transaction((tx) => tx.organizations.change(org, { proxyUserId: idOf('user') }, NOW));
  assert.equal((await store.read.organizations.get(org))?.proxyUserId, idOf('user'));
  await store.transaction((tx) => tx.organizations.change(org, { name: 'changed' }, NOW));
  assert.equal((await store.read.organizations.get(org))?.proxyUserId, idOf('user'), 'other changes leave it');
});
