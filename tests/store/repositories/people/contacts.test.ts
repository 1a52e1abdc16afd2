import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TokenUse } from '../../../../src/model/token.ts';
import type { User } from '../../../../src/model/user.ts';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';

const [parent, sub] = [idOf('parent'), idOf('sub')];
const user = idOf('user');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction(async (tx) => {
    await fill(tx, 'parent', null);
    await fill(tx, 'sub', 'parent');
  });
});
after(() => opened.close());

const update = (changed: Partial<User>) => opened.store.transaction((tx) => tx.users.update(sub, user, changed, NOW));
const found = async (by: 'EMAIL' | 'VERIFIED_EMAIL' | 'PHONE_NUMBER' | 'VERIFIED_PHONE_NUMBER', value: string) =>
  (await opened.store.read.organizations.subOrganizationIds(parent, { by, values: [value] }, { limit: 10 })).length;

test(`a parent finds verified contacts apart from others, on ${engineName}`, async () => {
  const wanted = async (mail: [any: number, verified: number], phone: [any: number, verified: number]) => {
    assert.deepEqual([await found('EMAIL', 'mail@example.com'), await found('VERIFIED_EMAIL', 'mail@example.com')], mail);
    assert.deepEqual([await found('PHONE_NUMBER', '+14155550100'), await found('VERIFIED_PHONE_NUMBER', '+14155550100')], phone);
  };
  await wanted([1, 1], [1, 1]);
  await update({ emailVerified: false });
  await wanted([1, 0], [1, 1]);
  await update({ phoneVerified: false });
  await wanted([1, 0], [1, 0]);
  await update({ emailVerified: true, phone: null });
  await wanted([1, 1], [0, 0]);
  await update({ email: 'Other@Example.com' });
  await wanted([0, 0], [0, 0]);
  assert.equal(await found('VERIFIED_EMAIL', 'other@example.com'), 1);
});

test('each kept column is read back, and a change of it raises the version of the organization and of the user', async () => {
  const changes: Partial<User>[] = [
    { email: 'new@example.com' },
    { phone: '+14155550199' },
    { accessType: 'ACCESS_TYPE_WEB' },
    { emailVerified: false },
    { emailVerified: true },
    { phoneVerified: true },
    { phoneVerified: false },
  ];
  const { read } = opened.store;
  for (const changed of changes) {
    const before = { facts: (await read.organizations.get(sub))!.version, user: (await read.users.get(sub, user))! };
    assert.equal(await update(changed), true);
    const now = (await read.users.get(sub, user))!;
    assert.deepEqual(now, { ...before.user, ...changed, version: before.user.version + 1 });
    assert.equal((await read.organizations.get(sub))!.version, before.facts + 1);
    assert.deepEqual((await read.users.past(sub, user, before.user.version))!.user, before.user, 'kept for its votes');
  }
});

const use = (more: Partial<TokenUse> = {}): TokenUse => ({
  organizationId: parent,
  tokenId: idOf('a token'),
  purpose: 'login',
  expiresAt: NOW,
  ...more,
});
const insert = (one: TokenUse) => opened.store.transaction((tx) => tx.tokenUses.insert(one));
const rows = async () => Number((await opened.raw('SELECT COUNT(*) AS n FROM token_uses'))[0]!.n);

test('a token is used once for each purpose, whoever comes first', async () => {
  assert.deepEqual((await Promise.all([insert(use()), insert(use()), insert(use())])).sort(), [false, false, true]);
  assert.equal(await insert(use()), false);
  for (const more of [{ purpose: 'update' }, { tokenId: idOf('another') }, { organizationId: sub }] as const)
    assert.equal(await insert(use(more)), true);
  await assert.rejects(
    opened.store.transaction(async (tx) => {
      assert.equal(await tx.tokenUses.insert(use({ purpose: 'signup' })), true);
      throw new Error('no');
    }),
    /no/,
  );
  assert.equal(await insert(use({ purpose: 'signup' })), true, 'an activity that fails uses nothing');
});

test('uses of tokens that are long expired are forgotten, some at a time, and no others', async () => {
  const org = idOf('sweeps');
  const times = [1, 2, 3, NOW - 1, NOW, NOW + 1];
  for (const expiresAt of times) await insert(use({ organizationId: org, tokenId: idOf(`token ${expiresAt}`), expiresAt }));
  const before = await rows();
  const sweep = (most: number) => opened.store.transaction((tx) => tx.tokenUses.sweep(org, NOW, most));
  assert.deepEqual([await sweep(3), await sweep(3), await sweep(3)], [3, 1, 0]);
  assert.equal(await rows(), before - 4);
  assert.equal(await insert(use({ organizationId: org, tokenId: idOf(`token ${NOW}`) })), false);
  const both = use({ organizationId: org, expiresAt: 1 });
  await insert(both);
  const swept = await Promise.all([sweep(10), sweep(10)]);
  assert.equal(swept[0]! + swept[1]!, 1, 'two sweeps at once do not fail');
});
