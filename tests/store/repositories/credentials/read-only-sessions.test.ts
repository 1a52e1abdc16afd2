import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newOrganization } from '../../../../src/model/organization.ts';
import { engineName } from '../../../support/database.ts';
import { authenticatorOf, credentialOf, idOf, NOW, type Opened, oauthProviderOf, openMigrated, userOf } from '../../fixture.ts';
import { readOnlySessionOf } from './read-only-session-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction(async (tx) => {
    await tx.organizations.insert(
      newOrganization({ id: org, parentId: null, name: 'name', rootQuorum: { threshold: 1, userIds: [] }, createdAt: NOW }),
    );
    for (const user of ['user', 'other']) await tx.users.insert(userOf('org', user));
    await tx.credentials.insert(credentialOf('org', 'key', '02aa'));
    await tx.authenticators.insert(authenticatorOf('org', 'passkey', 'passkey'));
    await tx.oauthProviders.insert(oauthProviderOf('org', 'provider', 'subject'));
  });
});
after(() => opened.close());

const made = (name: string, credential: string, user = 'user') => ({
  ...readOnlySessionOf('org', name, user),
  credentialId: idOf(credential),
});
const idsOf = async (user: string) => (await opened.store.read.readOnlySessions.listByUser(org, idOf(user))).map(({ id }) => id);

test(`sessions are read back as they were written, and removed one by one, on ${engineName}`, async () => {
  const rows = [made('one', 'key'), made('two', 'key'), made('theirs', 'key', 'other')];
  await opened.store.transaction(async (tx) => {
    for (const row of rows) await tx.readOnlySessions.insert(row);
  });
  const { readOnlySessions } = opened.store.read;
  assert.deepEqual(await readOnlySessions.get(org, idOf('one')), rows[0]);
  assert.equal(await readOnlySessions.get(idOf('elsewhere'), idOf('one')), undefined);
  assert.deepEqual((await idsOf('user')).toSorted(), [idOf('one'), idOf('two')].toSorted());
  await opened.store.transaction((tx) => tx.readOnlySessions.remove(org, idOf('one')));
  assert.deepEqual(await idsOf('user'), [idOf('two')]);
  assert.deepEqual(await idsOf('other'), [idOf('theirs')]);
});

test(`a credential that is removed ends its sessions, and no others, on ${engineName}`, async () => {
  const kinds = { key: 'credentials', passkey: 'authenticators', provider: 'oauthProviders' } as const;
  for (const [name, repository] of Object.entries(kinds)) {
    await opened.store.transaction(async (tx) => {
      for (const credential of [name, 'unknown']) await tx.readOnlySessions.insert(made(`${name} ${credential}`, credential));
      assert.equal(await tx[repository].remove(org, idOf('nobody'), NOW), false);
      assert.equal(await tx[repository].remove(org, idOf(name), NOW), true);
    });
    const left = await idsOf('user');
    assert.ok(!left.includes(idOf(`${name} ${name}`)), name);
    assert.ok(left.includes(idOf(`${name} unknown`)), name);
  }
});

test(`a user who is removed has no sessions, on ${engineName}`, async () => {
  assert.equal(await opened.store.transaction((tx) => tx.users.remove(org, idOf('user'), NOW)), true);
  assert.deepEqual([await idsOf('user'), await idsOf('other')], [[], [idOf('theirs')]]);
});
