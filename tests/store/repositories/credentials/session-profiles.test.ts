import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { credentialOf, fill, idOf, type Opened, openMigrated } from '../../fixture.ts';
import { sessionProfileOf } from './session-profile-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

test(`a written row is read back as it was, on ${engineName}`, async () => {
  const { store } = opened;
  const row = sessionProfileOf(org, 'another', { scope: 'true', notes: 'é', expirationSeconds: null });
  const { version } = (await store.read.organizations.get(org))!;
  await store.transaction((tx) => tx.sessionProfiles.insert(row));
  assert.deepEqual(await store.read.sessionProfiles.get(org, row.id), row);
  assert.equal(await store.read.sessionProfiles.get(idOf('elsewhere'), row.id), undefined);
  const all = await store.read.sessionProfiles.page(org, { limit: 10 });
  assert.deepEqual(all.map(({ id }) => id).toSorted(), [row.id, idOf('profile')].toSorted());
  assert.equal(await store.transaction((tx) => tx.organizations.count(org, 'sessionProfileCount')), 2);
  assert.equal((await store.read.organizations.get(org))!.version, version, 'no decision rests on a new profile');
});

test(`a credential keeps the profile of its session, on ${engineName}`, async () => {
  const { store } = opened;
  const session = { ...credentialOf(org, 'session', 'its key'), sessionProfileId: idOf('profile') };
  await store.transaction((tx) => tx.credentials.insert(session));
  assert.deepEqual(await store.read.credentials.get(org, session.id), session);
});
