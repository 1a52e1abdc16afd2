import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { queries } from '../../src/queries/index.ts';
import { contractInterfaces } from '../../src/store/tables/contract-interfaces.ts';
import { credentials } from '../../src/store/tables/credentials.ts';
import { policies } from '../../src/store/tables/policies.ts';
import { privateKeys } from '../../src/store/tables/private-keys.ts';
import { signers } from '../../src/store/tables/signers.ts';
import { tagMembers, tags } from '../../src/store/tables/tags.ts';
import { users } from '../../src/store/tables/users.ts';
import { wallets } from '../../src/store/tables/wallets.ts';
import { credentialOf, userOf } from '../store/fixture.ts';
import { bulk } from '../store/many.ts';
import type { Client } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refusesEachQuery } from '../support/refusals.ts';
import { badPagination, pages } from './support.ts';

/** More than two slices of the largest size. */
const COUNT = 1100;

/** Every list that is given whole, its member, and the id of an element. */
const LISTS: readonly [query: string, member: string, id: string][] = [
  ['get_api_keys', 'apiKeys', 'apiKeyId'],
  ['list_policies', 'policies', 'policyId'],
  ['list_private_key_tags', 'privateKeyTags', 'tagId'],
  ['list_private_keys', 'privateKeys', 'privateKeyId'],
  ['list_smart_contract_interfaces', 'smartContractInterfaces', 'smartContractInterfaceId'],
  ['list_user_tags', 'userTags', 'tagId'],
  ['list_users', 'users', 'userId'],
  ['list_wallets', 'wallets', 'walletId'],
];

const instance = await sharedInstance();
let empty: Client;
let small: Client;
let large: Client;

const idOf = (kind: number, n: number) => `${String(n).padStart(8, '0')}-000${kind}-7000-8000-000000000000`;

async function fill(organizationId: string, count: number): Promise<void> {
  const rows = await bulk({ folder: instance.dataDir, url: instance.databaseUrl });
  const times = { createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_001 };
  const of = (kind: number, n: number) => ({ organizationId, id: idOf(kind, n), ...times });
  const named = (kind: number, n: number) => ({ ...of(kind, n), name: `"ü" ${n}`, exported: n % 3 === 0, imported: false });
  const signs = { curve: 'CURVE_P256', publicKey: 'public' };
  try {
    await rows.insert(users, count, (n) => ({ ...userOf(organizationId, idOf(1, n)), email: n % 2 ? null : 'a@example.com' }));
    await rows.insert(credentials, 2 * count, (n) => {
      // Made in another order than their users.
      const userId = idOf(1, (n * 7) % count);
      return { ...credentialOf(organizationId, idOf(2, n), `key ${n}`), userId };
    });
    await rows.insert(wallets, count, (n) => named(3, n));
    await rows.insert(privateKeys, count, (n) => ({ ...named(4, n), ...signs }));
    await rows.insert(signers, 2 * count, (n) => {
      const keyId = idOf(4, Math.floor(n / 2));
      const rest = { parentId: null, walletId: null, curve: 'CURVE_P256', disabled: false, position: n % 2 };
      return { organizationId, keyId, address: `address ${n}`, format: `FORMAT_${n % 2}`, ...rest };
    });
    await rows.insert(tags, count, (n) => ({ ...of(5, n), kind: 'user' as const, name: `tag ${n}` }));
    await rows.insert(tags, count, (n) => ({ ...of(8, n), kind: 'private_key' as const, name: `tag ${n}` }));
    const ofUser = (n: number) => ({ organizationId, memberId: idOf(1, n), tagId: idOf(5, count - 1 - n) });
    const ofKey = (n: number) => ({ organizationId, memberId: idOf(4, n), tagId: idOf(5, n) });
    await rows.insert(tagMembers, count, ofUser);
    await rows.insert(tagMembers, count, ofKey);
    await rows.insert(policies, count, (n) => {
      const texts = { condition: 'true', consensus: '', time: n % 5 ? '' : 'true', notes: 'ü' };
      return { ...of(6, n), name: `policy ${n}`, effect: 'EFFECT_DENY' as const, ...texts };
    });
    await rows.insert(contractInterfaces, count, (n) => {
      const type = 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' as const;
      return { ...of(7, n), address: `${n}`, type, label: `${n}`, notes: '', interface: '[]' };
    });
  } finally {
    await rows.close();
  }
}

before(async () => {
  const organizations = await Promise.all(['Empty', 'Small', 'Large'].map((name) => instance.newSubOrganization(name, 1, 1)));
  [empty, small, large] = organizations.map(({ clients }) => clients[0]!) as [Client, Client, Client];
  await fill(small.organizationId, 8);
  await fill(large.organizationId, COUNT);
});

type Element = Record<string, unknown>;

/** All elements, page by page. */
async function paged(client: Client, query: string, member: string, id: string): Promise<Element[]> {
  const all: Element[] = [];
  for (let after: unknown; ; after = all.at(-1)![id]) {
    const answer = await client.query(query, { paginationOptions: { limit: '100', ...(after ? { after } : {}) } });
    const some: Element[] = answer.body[member];
    all.push(...some);
    if (some.length < 100) return all;
  }
}

for (const [query, member, id] of LISTS) {
  test(`${query}: a long list comes in pieces, with the same bytes as page by page`, async () => {
    const whole = await large.query(query);
    assert.equal(whole.status, 200, whole.text.slice(0, 200));
    assert.equal(whole.headers.get('content-length'), null);
    assert.equal(whole.headers.get('content-type'), 'application/json');
    assert.match(whole.headers.get('x-request-id')!, /^[\w-]{36}$/);
    const elements = await paged(large, query, member, id);
    const given: Element[] = whole.body[member];
    assert.ok(given.length >= COUNT);
    // Keys of a whole organization come user by user.
    if (query === 'get_api_keys') {
      assert.deepEqual(new Set(given.map((one) => one[id])), new Set(elements.map((one) => one[id])));
      const ofUsers: Element[] = (await large.query('list_users')).body.users;
      elements.splice(0, elements.length, ...ofUsers.flatMap((user) => user.apiKeys as Element[]));
    }
    assert.equal(whole.text, JSON.stringify({ [member]: elements }));
    const kind = queries.find(({ name }) => name === query)!;
    assert.deepEqual(kind.result.parse(whole.body), whole.body, 'the answer has its declared shape');
  });

  test(`${query}: a short list is one write with its length, also an empty one`, async () => {
    for (const client of [empty, small]) {
      const answer = await client.query(query);
      assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)));
      assert.equal(answer.text, JSON.stringify({ [member]: answer.body[member] }));
    }
  });

  test(`${query}: pages by key in both directions, ten unless asked otherwise`, async () => {
    const all = (await paged(small, query, member, id)).map((one) => one[id] as string);
    assert.deepEqual(all, all.toSorted());
    const page = async (paginationOptions: object, client = small) =>
      ((await client.query(query, { paginationOptions })).body[member] as Element[]).map((one) => one[id] as string);
    assert.equal((await page({}, large)).length, 10);
    await pages(all, (options) => page(options));
    await refusesEachQuery(large, query, badPagination);
  });
}

test('the keys of one user are paged too', async () => {
  const userId = idOf(1, 7);
  const { apiKeys } = (await large.query('get_api_keys', { userId })).body;
  assert.equal(apiKeys.length, 2);
  const paginationOptions = { limit: '1', after: apiKeys[0].apiKeyId };
  assert.deepEqual((await large.query('get_api_keys', { userId, paginationOptions })).body.apiKeys, apiKeys.slice(1));
});

test('what a body has beside is named for a long list too', async () => {
  const answer = await large.query('list_wallets', { wallet: 1 });
  assert.equal(answer.headers.get('x-ignored-fields'), 'wallet');
});
