import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markEmailVerified } from '../../../src/domain/people/user-changes.ts';
import { marksOf } from '../../activities/tokens.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();
const { root, engine } = instance;

/** As an activity does, that read the user in its own transaction. */
async function mark(userId: string, email: string): Promise<number> {
  const organization = (await engine.store.read.organizations.get(root.organizationId))!;
  await engine.store.transaction(async (store) => {
    const user = (await store.users.get(organization.id, userId))!;
    await markEmailVerified({ store, now: engine.clock.now() }, user, email);
  });
  return (await engine.store.read.organizations.get(organization.id))!.version - organization.version;
}

test('an email that somebody else verified is marked, once, if it is the user’s', async () => {
  const { userId } = await instance.newUser('Linked', { userEmail: 'Ada@Example.com' });
  assert.equal(await mark(userId, 'eve@example.com'), 0);
  assert.equal((await marksOf(instance, userId)).email, false);
  assert.equal(await mark(userId, 'ada@example.COM'), 1, 'the mark is in a kept row');
  assert.equal((await marksOf(instance, userId)).email, true);
  assert.equal((await root.query('get_user', { userId })).body.user.userEmail, 'Ada@Example.com');
  assert.equal(await mark(userId, 'ada@example.com'), 0);
  const without = await instance.newUser('Without');
  assert.equal(await mark(without.userId, 'ada@example.com'), 0);
  assert.equal((await marksOf(instance, without.userId)).email, false);
});
