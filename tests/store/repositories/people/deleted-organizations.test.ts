import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AnyTable, stored } from '../../../../src/store/table.ts';
import { tables } from '../../../../src/store/tables/index.ts';
import { walletAccounts } from '../../../../src/store/tables/wallets.ts';
import { engineName } from '../../../support/database.ts';
import { credentialOf, fill, finished, idOf, NOW, type Opened, openMigrated, userOf } from '../../fixture.ts';
import { bulk } from '../../many.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, 'parent', null));
});
after(() => opened.close());

let made = 0;
async function newOrganization(): Promise<string> {
  const id = idOf(`sub ${++made}`);
  await opened.store.transaction((tx) => fill(tx, id, 'parent'));
  const policy = (await opened.store.read.policies.get(id, idOf('policy')))!;
  await opened.store.transaction((tx) => tx.policies.update({ ...policy, notes: 'changed' }));
  return id;
}

/** What stays of an organization, and why. Whatever is not here must go with it. */
const STAYS: Record<string, string> = {
  activities: 'the record',
  votes: 'the record',
  proofs: 'the record',
  app_proofs: 'the record',
  audit: 'the record',
  user_versions: 'who the voters were',
  ended_sessions: 'what they voted with',
  outbox: 'is on its way',
  webhook_events: 'may be on their way to the parent; swept by age',
  sends: 'may be on their way; the record',
  send_attempts: 'the same',
  gas_reservations: 'what they cost is counted for the parent when they are over',
  deleted_organizations: 'the deletion itself',
  archived_activities: 'the record',
  archived_votes: 'the record',
  archived_audit: 'the record',
  archived_sends: 'the record',
  archived_send_attempts: 'the record',
  archived_fingerprints: 'the record',
};

const owned = Object.values<AnyTable>(tables).filter((table) => stored(table).some(({ name }) => name === 'organization_id'));

/** How many rows of the organization each table has. */
async function rowsOf(org: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name } of owned) {
    if (engineName === 'sqlite' && /^archived_(?!fingerprints)/.test(name)) continue;
    const [row] = await opened.raw(`SELECT count(*) AS n FROM ${name} WHERE organization_id = $1`, org);
    if (Number(row!.n) > 0) found[name] = Number(row!.n);
  }
  return found;
}

test(`an organization goes with all that it has but its record, on ${engineName}`, async () => {
  const { store } = opened;
  const [org, other] = [await newOrganization(), await newOrganization()];
  const before = await rowsOf(org);
  // A new table has a row in the fixture, so that this shows whether it goes.
  for (const { name } of owned)
    if (!(name in STAYS)) assert.ok(before[name] !== undefined, `${name} has no row in tests/store/fixture.ts`);
  const beside = await rowsOf(other);
  const { version } = (await store.read.organizations.get(org))!;
  await store.transaction((tx) => tx.deletedOrganizations.add(org, NOW + 1));
  const left = await rowsOf(org);
  for (const name of Object.keys(left)) assert.ok(name in STAYS, `rows of ${name} are left`);
  assert.deepEqual([left.activities, left.votes], [before.activities, before.votes]);
  assert.deepEqual(await store.read.deletedOrganizations.get(org), {
    organizationId: org,
    parentId: idOf('parent'),
    name: 'name',
    version,
    rootQuorum: { threshold: 1, userIds: [idOf('user')] },
    createdAt: NOW,
    deletedAt: NOW + 1,
    unswept: false,
  });
  assert.equal(await store.read.organizations.get(org), undefined);
  assert.equal((await store.read.requestLookup.get(org, `key of ${org}`, 'none')).organization, undefined);
  assert.equal(await store.record(finished(org, 'signed', version)), 'stale', 'what was decided before is not written');
  assert.deepEqual(await rowsOf(other), beside);
  assert.equal(await store.read.deletedOrganizations.next(), undefined);
  assert.ok(await store.transaction((tx) => tx.deletedOrganizations.sweep(org, NOW)), 'nothing is left to sweep');
});

test(`users are kept as their votes show them, on ${engineName}`, async () => {
  const { store } = opened;
  const org = await newOrganization();
  const user = (await store.read.users.get(org, idOf('user')))!;
  await store.transaction((tx) => tx.deletedOrganizations.add(org, NOW + 1));
  const kept = await store.read.users.past(org, idOf('user'), user.version);
  assert.deepEqual(kept?.user, user);
  assert.deepEqual(
    kept?.credentials.map(({ publicKey }) => publicKey),
    [`key of ${org}`, `session of ${org}`],
  );
  assert.deepEqual(kept?.tags, [idOf('tag')]);
});

test(`a deletion that fails leaves the organization as it was, on ${engineName}`, async () => {
  const { store } = opened;
  const org = await newOrganization();
  const before = await rowsOf(org);
  await assert.rejects(
    store.transaction(async (tx) => {
      await tx.deletedOrganizations.add(org, NOW);
      throw new Error('late');
    }),
    /late/,
  );
  assert.deepEqual(await rowsOf(org), before);
  assert.equal(await store.read.deletedOrganizations.get(org), undefined);
  assert.ok(await store.read.organizations.get(org));
});

test(`what an organization has many of goes step by step, and is found by nobody meanwhile, on ${engineName}`, async () => {
  const { store } = opened;
  const org = await newOrganization();
  const ACCOUNTS = 3_000;
  const USERS = 30;
  const rows = await bulk(opened);
  try {
    const signs = { organizationId: org, curve: 'c', publicKey: 'p', exported: false, createdAt: NOW, updatedAt: NOW };
    await rows.insert(walletAccounts, ACCOUNTS, (n) => {
      const at = { id: idOf(`many ${n}`), walletId: idOf('wallet'), path: `m/${n + 1}`, address: `many ${n}` };
      return { ...signs, ...at, addressFormat: 'f', name: null };
    });
    await rows.insert(tables.signers, ACCOUNTS, (n) => {
      const of = { organizationId: org, parentId: idOf('parent'), address: `many ${n}`, format: 'f', keyId: idOf(`many ${n}`) };
      return { ...of, walletId: idOf('wallet'), curve: 'c', disabled: false, position: 0 };
    });
    const sealed = Buffer.from('sealed');
    await rows.insert(tables.secrets, ACCOUNTS, (n) => {
      return { organizationId: org, id: idOf(`many ${n}`), purpose: 'account-key' as const, sealed };
    });
  } finally {
    await rows.close();
  }
  await store.transaction(async (tx) => {
    for (let n = 0; n < USERS; n++) {
      await tx.users.insert(userOf(org, `user ${n}`, 'parent'));
      await tx.credentials.insert({ ...credentialOf(org, `key ${n}`, `key ${n}`, 'parent'), userId: idOf(`user ${n}`) });
    }
  });
  const parent = idOf('parent');
  const found = (by: 'WALLET_ACCOUNT_ADDRESS' | 'PUBLIC_KEY' | 'USERNAME', value: string) =>
    store.read.organizations.subOrganizationIds(parent, { by, values: [value] }, { limit: 10 });
  assert.deepEqual(await found('WALLET_ACCOUNT_ADDRESS', 'many 1'), [org]);

  await store.transaction((tx) => tx.deletedOrganizations.add(org, NOW));
  const total = async () =>
    Object.entries(await rowsOf(org)).reduce((sum, [name, count]) => sum + (name in STAYS ? 0 : count), 0);
  let left = await total();
  assert.ok(left > 2 * ACCOUNTS, `${left} rows are left by the deletion`);
  assert.equal(await store.read.deletedOrganizations.next(), org);
  assert.deepEqual(await found('WALLET_ACCOUNT_ADDRESS', 'many 1'), []);
  assert.deepEqual(await found('PUBLIC_KEY', 'key 1'), []);
  assert.ok(!(await found('USERNAME', 'name')).includes(org));
  assert.deepEqual(await store.read.credentials.inSubOrganizations(parent, 'key 1', 10), []);

  for (let isDone = false, steps = 1; !isDone; steps++) {
    isDone = await store.transaction((tx) => tx.deletedOrganizations.sweep(org, NOW));
    const now = await total();
    assert.ok(now < left || isDone, `step ${steps} removes something: ${now} of ${left}`);
    assert.ok(left - now <= 600, `step ${steps} is bounded: ${left - now} rows`);
    left = now;
  }
  assert.equal(left, 0);
  assert.equal(await store.read.deletedOrganizations.next(), undefined);
  for (let n = 0; n < USERS; n++) {
    const kept = await store.read.users.past(org, idOf(`user ${n}`), 1);
    assert.equal(kept?.credentials.length, 1, 'a user was kept before its credentials went');
  }
});
