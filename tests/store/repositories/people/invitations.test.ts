import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated, userOf } from '../../fixture.ts';
import { invitationOf } from './invitation-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

const LATER = NOW + 5;
const ACCEPTED = 'INVITATION_STATUS_ACCEPTED';
const REVOKED = 'INVITATION_STATUS_REVOKED';

test(`an invitation is read back as it was, ends once, and then has no secret, on ${engineName}`, async () => {
  const { store } = opened;
  const row = invitationOf(org, 'another', { userId: 'invited' });
  await store.transaction((tx) => tx.invitations.insert(row));
  assert.deepEqual(await store.read.invitations.get(org, row.id), row);
  assert.deepEqual(await store.read.invitations.ofUser(org, row.userId), row);
  assert.deepEqual(
    (await store.read.invitations.page(org, { limit: 10 })).map(({ id }) => id),
    [row.id, idOf('invitation')].sort(),
  );
  const settle = (status: typeof ACCEPTED | typeof REVOKED) =>
    store.transaction((tx) => tx.invitations.settle(org, row.id, status, LATER));
  assert.equal(await settle(ACCEPTED), true);
  const ended = { ...row, status: ACCEPTED, secret: null, updatedAt: LATER };
  assert.deepEqual(await store.read.invitations.get(org, row.id), ended);
  for (const status of [ACCEPTED, REVOKED] as const) assert.equal(await settle(status), false);
  assert.deepEqual(await store.read.invitations.get(org, row.id), ended);
});

test(`removing an invited user revokes the invitation, on ${engineName}`, async () => {
  const { store } = opened;
  const [open, accepted] = [
    invitationOf(org, 'open', { userId: 'one' }),
    invitationOf(org, 'accepted', { userId: 'two', status: ACCEPTED, secret: null }),
  ];
  await store.transaction(async (tx) => {
    for (const { id } of [{ id: 'one' }, { id: 'two' }]) await tx.users.insert(userOf(org, id));
    await tx.invitations.insert(open);
    await tx.invitations.insert(accepted);
    for (const id of ['one', 'two']) await tx.users.remove(org, idOf(id), LATER);
  });
  assert.deepEqual(await store.read.invitations.get(org, open.id), { ...open, status: REVOKED, secret: null, updatedAt: LATER });
  assert.deepEqual(await store.read.invitations.get(org, accepted.id), accepted);
});
