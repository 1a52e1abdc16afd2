import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { oauth2CredentialOf } from './oauth2-credential-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  for (const id of [org, idOf('other')]) await opened.store.transaction((tx) => fill(tx, id, null));
});
after(() => opened.close());

test(`a credential is read back as it was written, and as it was replaced, on ${engineName}`, async () => {
  const { store } = opened;
  const row = oauth2CredentialOf(org, 'another');
  await store.transaction((tx) => tx.oauth2Credentials.insert(row));
  assert.deepEqual(await store.read.oauth2Credentials.get(org, row.id), row);
  assert.equal((await store.read.oauth2Credentials.page(org, { limit: 10 })).length, 2);

  const another = { provider: 'OAUTH2_PROVIDER_DISCORD', clientId: 'other', encryptedClientSecret: 'cd' } as const;
  const replaced = { ...row, ...another, sealedClientSecret: Buffer.from('other'), updatedAt: NOW + 5 };
  await store.transaction((tx) => tx.oauth2Credentials.replace(replaced));
  assert.deepEqual(await store.read.oauth2Credentials.get(org, row.id), replaced);
  assert.deepEqual(
    await store.read.oauth2Credentials.get(org, idOf('oauth2 credential')),
    oauth2CredentialOf(org, 'oauth2 credential'),
    'no other is',
  );

  const remove = (owner: string) => store.transaction((tx) => tx.oauth2Credentials.remove(owner, row.id));
  assert.equal(await remove(idOf('other')), false, 'another organization’s');
  assert.equal(await remove(org), true);
  assert.equal(await remove(org), false);
  assert.equal(await store.read.oauth2Credentials.get(org, row.id), undefined);
});
