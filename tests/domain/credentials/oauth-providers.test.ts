import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addOauthProviders, type VerifiedProvider } from '../../../src/domain/credentials/oauth-providers.ts';
import { DEFAULT_LIMITS } from '../../../src/model/limits.ts';
import { fill, idOf, NOW, type Opened, openMigrated, userOf } from '../../store/fixture.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, 'org', null));
});
after(() => opened.close());

let made = 0;

/** Adds a provider whose token vouches for `verifiedEmail` to a user; returns the user after it. */
async function addedTo(email: string | null, verifiedEmail: string | undefined) {
  const { store } = opened;
  const user = { ...userOf('org', `user ${++made}`), email, emailVerified: false };
  const identity = { issuer: 'https://accounts.google.com', audience: 'client', subject: `${made}` };
  const provider: VerifiedProvider = { name: 'Google', identity, token: { ...identity, verifiedEmail } };
  await store.transaction((tx) => tx.users.insert(user));
  const next = () => idOf(`provider ${made}`);
  const ids = { next } as Parameters<typeof addOauthProviders>[0]['ids'];
  await store.transaction((tx) =>
    addOauthProviders({ store: tx, ids, now: NOW, limits: DEFAULT_LIMITS }, user, [provider], 'oauthProviders'),
  );
  return (await store.read.users.get(org, user.id))!;
}

test('an email address that the token vouches for is verified, if it is the user’s', async () => {
  const same = await addedTo('Mail@Example.com', 'mail@example.COM');
  assert.deepEqual([same.emailVerified, same.email], [true, 'Mail@Example.com']);
  assert.equal((await addedTo('other@example.com', 'mail@example.com')).emailVerified, false);
  assert.equal((await addedTo('mail@example.com', undefined)).emailVerified, false);
  const none = await addedTo(null, 'mail@example.com');
  assert.deepEqual([none.emailVerified, none.email], [false, null]);
});
