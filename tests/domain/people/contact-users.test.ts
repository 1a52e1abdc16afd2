/** Whom a contact belongs to, of an organization's own users. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { userOfContact } from '../../../src/domain/people/contact-users.ts';
import type { User } from '../../../src/model/user.ts';
import { fill, idOf, NOW, type Opened, openMigrated, userOf } from '../../store/fixture.ts';
import { engineName } from '../../support/database.ts';

const TOP = { id: idOf('top'), parentId: null };
const SUB = { id: idOf('sub'), parentId: TOP.id };

let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction(async (tx) => {
    await fill(tx, 'top', null);
    await fill(tx, 'sub', 'top');
    await fill(tx, 'other', 'top');
  });
});
after(() => opened.close());

const EMAIL = 'mail@example.com';
const PHONE = '+14155550100';
const find = async (organization: typeof TOP | typeof SUB, kind: 'email' | 'phone', contact: string) =>
  (await userOfContact(opened.store.read, organization, kind, contact, 'parameters.x')).id;
const change = (id: string, changed: Partial<User>) =>
  opened.store.transaction((tx) => tx.users.update(SUB.id, idOf(id), changed, NOW));

test(`a user of the organization itself, and of no other, on ${engineName}`, async () => {
  for (const organization of [TOP, SUB])
    for (const [kind, contact] of [
      ['email', EMAIL],
      ['email', 'MAIL@example.COM'],
      ['phone', PHONE],
    ] as const)
      assert.equal(await find(organization, kind, contact), idOf('user'));
  await change('user', { email: 'moved@example.com', phone: null });
  await assert.rejects(find(SUB, 'email', EMAIL), { code: 'NOT_FOUND', message: /parameters\.x is not the email of a user/ });
  await assert.rejects(find(SUB, 'phone', PHONE), {
    code: 'NOT_FOUND',
    message: /parameters\.x is not the phone number of a user/,
  });
  await change('user', { email: 'Mail@Example.com', phone: PHONE });
});

test('of several, whoever verified it; between equals nobody', async () => {
  await opened.store.transaction((tx) => tx.users.insert(userOf('sub', 'second', 'top')));
  for (const [kind, contact, mark] of [
    ['email', EMAIL, 'emailVerified'],
    ['phone', PHONE, 'phoneVerified'],
  ] as const) {
    const several = { code: 'REQUEST_INVALID', message: /parameters\.x: several users of this organization/ };
    await assert.rejects(find(SUB, kind, contact), several);
    await change('user', { [mark]: false });
    assert.equal(await find(SUB, kind, contact), idOf('second'));
    await change('second', { [mark]: false });
    await assert.rejects(find(SUB, kind, contact), several);
    await change('user', { [mark]: true });
    assert.equal(await find(SUB, kind, contact), idOf('user'));
  }
});
