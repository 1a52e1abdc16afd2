import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { QueryContext } from '../../src/engine/query/declare.ts';
import type { Listing } from '../../src/engine/query/listing.ts';
import { queries } from '../../src/queries/index.ts';
import { credentials } from '../../src/store/tables/credentials.ts';
import { users } from '../../src/store/tables/users.ts';
import { wallets } from '../../src/store/tables/wallets.ts';
import { credentialOf, idOf as named, type Opened, openMigrated, userOf } from '../store/fixture.ts';
import { bulk } from '../store/many.ts';

/** Several slices. */
const COUNT = 1000;
const ORG = named('org');
const idOf = (kind: number, n: number) => `${String(n).padStart(8, '0')}-000${kind}-7000-8000-000000000000`;

let opened: Opened;

/** Adds users, their keys, and wallets, behind those that are there. */
async function add(from: number, count: number): Promise<void> {
  const rows = await bulk(opened);
  const times = { createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 };
  try {
    await rows.insert(users, count, (n) => userOf('org', idOf(1, from + n)));
    await rows.insert(credentials, count, (n) => ({
      ...credentialOf('org', idOf(2, from + n), `key ${from + n}`),
      userId: idOf(1, from + n),
    }));
    await rows.insert(wallets, count, (n) => {
      const marks = { exported: false, imported: false };
      return { organizationId: ORG, id: idOf(3, from + n), name: `wallet ${from + n}`, ...marks, ...times };
    });
  } finally {
    await rows.close();
  }
}

before(async () => {
  opened = await openMigrated();
  await add(0, COUNT);
});
after(() => opened.close());

let size = COUNT;
for (const [name, member, id] of [
  ['list_wallets', 'wallets', 'walletId'],
  ['list_users', 'users', 'userId'],
  ['get_api_keys', 'apiKeys', 'apiKeyId'],
] as const)
  test(`${name}: a list that grows between its slices has what it had when it began`, async () => {
    const kind = queries.find((one) => one.name === name)!;
    const context = { organization: { id: ORG }, read: opened.store.read } as unknown as QueryContext;
    const { slice } = (await kind.run(context, {})) as Listing<string, Record<string, string>>;
    const began = size;
    const found: string[] = [];
    for (let isLast = false; !isLast; ) {
      const read = await slice();
      found.push(...(JSON.parse(`[${read.text}]`) as Record<string, string>[]).map((one) => one[id]!));
      isLast = read.isLast;
      if (size > began) continue;
      assert.ok(!isLast, `${member} come in more than one slice`);
      await add(size, COUNT);
      size += COUNT;
    }
    const kindOf = { wallets: 3, users: 1, apiKeys: 2 }[member];
    assert.deepEqual(
      found,
      Array.from({ length: began }, (_, n) => idOf(kindOf, n)),
    );
  });
