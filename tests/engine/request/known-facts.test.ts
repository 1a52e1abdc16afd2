import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fingerprintOf } from '../../../src/engine/request/context.ts';
import { CACHE_BYTES, KnownFacts } from '../../../src/engine/request/known-facts.ts';
import type { Organization } from '../../../src/model/organization.ts';
import { newUser } from '../../../src/model/user.ts';
import type { Holder, Reader, SealedSigner } from '../../../src/store/types.ts';

const organizationOf = (id: string, version = 1): Organization => ({
  id,
  parentId: null,
  name: 'name',
  version,
  policiesVersion: 1,
  velocityVersion: 0,
  archivedUntil: 0,
  ipAllowlist: null,
  proxyUserId: null,
  rootRecovery: null,
  rootQuorum: { threshold: 1, userIds: ['user'] },
  features: {},
  createdAt: 1,
  updatedAt: 1,
});

const holderOf = (organizationId: string, publicKey = 'key'): Holder => ({
  user: newUser({ organizationId, id: 'user', parentId: null, name: 'name', createdAt: 1 }),
  credential: {
    organizationId,
    id: 'credential',
    parentId: null,
    userId: 'user',
    type: 'CREDENTIAL_TYPE_API_KEY_P256',
    name: 'name',
    publicKey,
    expiresAt: null,
    expirationSeconds: null,
    ipAllowlist: null,
    sessionProfileId: null,
    createdAt: 1,
    updatedAt: 1,
  },
});

const POOL = Buffer.alloc(65_536, 7);

const signerOf = (organizationId: string, address: string): SealedSigner => ({
  signer: {
    organizationId,
    parentId: null,
    address,
    format: 'ADDRESS_FORMAT_ETHEREUM',
    keyId: address,
    walletId: 'wallet',
    curve: 'CURVE_SECP256K1',
    disabled: false,
    position: 0,
  },
  purpose: 'account-key',
  sealed: POOL.subarray(0, 65),
  isFrozen: false,
});

/** A database that has every signer, and notes what it is asked. */
function database(find = async (org: string, address: string): Promise<SealedSigner | undefined> => signerOf(org, address)) {
  const asked: string[] = [];
  const none = async () => undefined;
  const read = {
    signers: {
      find: (org: string, address: string) => {
        asked.push(`${org} ${address}`);
        return find(org, address);
      },
    },
    wallets: { get: none, account: none },
    privateKeys: { get: none },
    tags: { ofMember: async () => [] },
  } as unknown as Reader;
  return { read, asked };
}

const keep = (known: KnownFacts, id: string, version = 1, publicKey = 'key') =>
  known.keep(known.forgotten, organizationOf(id, version), holderOf(id, publicKey));

test('a caller is recalled only in its organization and by its own key', () => {
  const known = new KnownFacts();
  const { read } = database();
  keep(known, 'one');
  assert.deepEqual(known.recall(read, 'one', 'key')?.holder, holderOf('one'));
  assert.deepEqual(known.recall(read, 'one', 'key')?.organization, organizationOf('one'));
  assert.equal(known.recall(read, 'one', 'other'), undefined);
  assert.equal(known.recall(read, 'two', 'key'), undefined);
});

test('a signer is read once for each version of its organization, and a missing one is never kept', async () => {
  const known = new KnownFacts();
  let exists = false;
  const { read, asked } = database(async (org, address) => (exists ? signerOf(org, address) : undefined));
  keep(known, 'one');
  const first = known.recall(read, 'one', 'key')!.read;
  for (let i = 0; i < 3; i++) assert.equal(await first.signers.find('one', 'a'), undefined);
  exists = true;
  for (let i = 0; i < 3; i++) assert.deepEqual(await first.signers.find('one', 'a'), signerOf('one', 'a'));
  assert.equal(asked.length, 4);
  keep(known, 'one', 2);
  await known.recall(read, 'one', 'key')!.read.signers.find('one', 'a');
  assert.equal(asked.length, 5, 'another version is read anew');
  await first.signers.find('one', 'b');
  await known.recall(read, 'one', 'key')!.read.signers.find('one', 'b');
  assert.equal(asked.length, 7, 'what an older reader finds is not kept for the newer version');
});

test('rows of another organization are read, not kept', async () => {
  const known = new KnownFacts();
  const { read, asked } = database();
  keep(known, 'one');
  for (let i = 0; i < 2; i++)
    assert.deepEqual(await known.recall(read, 'one', 'key')!.read.signers.find('two', 'a'), signerOf('two', 'a'));
  assert.deepEqual(asked, ['two a', 'two a']);
});

test('an older look-up does not replace a newer one, and a newer version drops everything older', () => {
  const known = new KnownFacts();
  const { read } = database();
  keep(known, 'one', 2);
  keep(known, 'one', 1, 'late');
  assert.equal(known.recall(read, 'one', 'late'), undefined);
  assert.equal(known.recall(read, 'one', 'key')?.organization?.version, 2);
  keep(known, 'one', 3, 'newer');
  assert.equal(known.recall(read, 'one', 'key'), undefined);
  known.saw(organizationOf('one', 3));
  assert.ok(known.recall(read, 'one', 'newer'));
  known.saw(organizationOf('one', 4));
  assert.equal(known.recall(read, 'one', 'newer'), undefined);
  assert.equal(known.bytes, 0);
});

test('a look-up that began before an organization was forgotten is not kept after', async () => {
  const known = new KnownFacts();
  let answer: (signer: SealedSigner) => void = () => {};
  const { read } = database(() => new Promise((resolve) => (answer = resolve)));
  const since = known.forgotten;
  keep(known, 'one');
  const { read: before } = known.recall(read, 'one', 'key')!;
  const finding = before.signers.find('one', 'a');
  known.forget('one');
  known.keep(since, organizationOf('one'), holderOf('one'));
  assert.equal(known.recall(read, 'one', 'key'), undefined);
  answer(signerOf('one', 'a'));
  await finding;
  assert.equal(known.bytes, 0, 'no sealed key stays');
});

test('kept rows are copies, and no code can change them', async () => {
  const known = new KnownFacts();
  const { read } = database();
  const [organization, holder] = [organizationOf('one'), holderOf('one')];
  known.keep(known.forgotten, organization, holder);
  organization.rootQuorum.userIds.push('mallory');
  holder.user.name = 'mallory';
  const recalled = known.recall(read, 'one', 'key')!;
  assert.deepEqual(recalled.organization, organizationOf('one'));
  assert.deepEqual(recalled.holder, holderOf('one'));
  assert.throws(() => recalled.organization!.rootQuorum.userIds.push('mallory'), TypeError);
  assert.throws(() => Object.assign(recalled.holder!.user, { id: 'mallory' }), TypeError);
  await recalled.read.signers.find('one', 'a');
  const kept = (await recalled.read.signers.find('one', 'a'))!;
  assert.equal(kept.sealed.buffer.byteLength, 65, 'a slice would hold the whole of what it was cut from');
});

test('the least recently used organization goes first, and no organization takes more than its part', async () => {
  const known = new KnownFacts(40_000);
  const { read } = database();
  for (const id of ['one', 'two', 'three']) keep(known, id);
  const each = known.bytes / 3;
  known.recall(read, 'one', 'key');
  for (let i = 0; known.bytes + each <= 40_000; i++) keep(known, `more ${i}`);
  known.recall(read, 'two', 'key');
  keep(known, 'last');
  assert.ok(known.bytes <= 40_000);
  assert.equal(known.recall(read, 'three', 'key'), undefined, 'it was used longest ago');
  for (const id of ['one', 'two', 'last']) assert.ok(known.recall(read, id, 'key'), id);

  const greedy = new KnownFacts(40_000);
  keep(greedy, 'one');
  keep(greedy, 'two');
  for (let i = 0; i < 200; i++) await greedy.recall(read, 'two', `key`)?.read.signers.find('two', `address ${i}`);
  for (let i = 0; i < 200; i++) keep(greedy, 'two', 1, `key ${i}`);
  assert.ok(greedy.bytes <= 10_000 + each);
  assert.ok(greedy.recall(read, 'one', 'key'), 'others stay');
  const huge = { ...organizationOf('huge'), name: 'x'.repeat(20_000) };
  greedy.keep(greedy.forgotten, huge, holderOf('huge'));
  assert.equal(greedy.recall(read, 'huge', 'key'), undefined);
});

test('bodies are remembered, the latest ones at least', () => {
  const known = new KnownFacts();
  const fingerprints = Array.from({ length: 100_000 }, (_, i) => fingerprintOf(Buffer.from(`body ${i}`)));
  const remembered = (some: readonly string[]) => some.filter((each) => known.remembers(each)).length;
  assert.equal(remembered(fingerprints), 0);
  for (const each of fingerprints) {
    known.remember(each);
    assert.ok(known.remembers(each));
  }
  assert.ok(remembered(fingerprints.slice(-2000)) > 1900);
  assert.ok(remembered(fingerprints) <= 32_768, 'up to a bound');
  const others = Array.from({ length: 100_000 }, (_, i) => fingerprintOf(Buffer.from(`another ${i}`)));
  assert.equal(remembered(others), 0, 'none is taken for another');
});

test('the bytes that are counted are no fewer than the memory that is taken', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const taken = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const known = new KnownFacts();
  const { read, asked } = database();
  const before = taken();
  for (let i = 0; known.bytes < CACHE_BYTES * 0.95; i++) {
    const id = `00000000-0000-7000-8000-${String(Math.floor(i / 200)).padStart(12, '0')}`;
    if (i % 200 === 0) keep(known, id);
    await known.recall(read, id, 'key')!.read.signers.find(id, `0x${String(i).padStart(40, '0')}`);
    asked.length = 0;
  }
  const grown = taken() - before;
  assert.ok(grown > CACHE_BYTES / 8, `it is kept: ${grown}`);
  assert.ok(grown <= CACHE_BYTES, `${known.bytes} counted, ${grown} taken`);
});
