/** The data sets of bench/growth.ts, written through the store as the service writes them. */
import { createHash, randomBytes } from 'node:crypto';
import { uuidV7 } from '../src/base/ids.ts';
import { systemRandom } from '../src/base/random.ts';
import type { Activity } from '../src/model/activity.ts';
import { newOrganization } from '../src/model/organization.ts';
import { newCredential, newUser } from '../src/model/user.ts';
import { openStore } from '../src/store/store.ts';
import type { FinishedRecord, Store, Writer } from '../src/store/types.ts';
import { SCHEME } from './stamp.ts';
import { bodyOf, signRawPayload } from './workloads.ts';

export type Scale = { activities: number; subOrganizations: number; users: number; policies: number; wallets: number };

type Where = { folder: string; databaseUrl: string | undefined };
type Target = { store: Store; organizationId: string; say(text: string): void };

const HOUR_MS = 3_600_000;
const AT_ONCE = 1000;
/** The numbers of failed activities and of sub-organizations with one email: the same in a large data set as in a small one. */
const FOUND = 200;

/** Older than all later requests. */
let clock = Date.now() - 30 * 24 * HOUR_MS;
const ids = uuidV7({ now: () => clock }, systemRandom);
const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** Calls `make` for 0 … count − 1, some hundreds together, and prints its progress. */
async function many(
  target: Target,
  what: string,
  count: number,
  make: (from: number, to: number) => Promise<unknown>,
): Promise<void> {
  const step = Math.ceil(count / 5 / AT_ONCE) * AT_ONCE;
  for (let from = 0; from < count; from += AT_ONCE) {
    await make(from, Math.min(count, from + AT_ONCE));
    clock += 100;
    if (from > 0 && from % step === 0) target.say(`${from} of ${count} ${what}`);
  }
}

const inOneTransaction = (store: Store, one: (tx: Writer, i: number) => Promise<unknown>) => (from: number, to: number) =>
  store.transaction(async (tx) => {
    for (let i = from; i < to; i++) await one(tx, i);
  });

function recordOf(organizationId: string, version: number, index: number, rare: boolean): FinishedRecord {
  const body = bodyOf(signRawPayload, organizationId, signRawPayload.someAddress, index, clock);
  const fingerprint = `sha256:${createHash('sha256').update(body).digest('hex')}`;
  const times = { createdAt: clock, updatedAt: clock };
  const activity: Activity = {
    organizationId,
    id: ids.next(),
    fingerprint,
    type: signRawPayload.type,
    status: rare ? 'ACTIVITY_STATUS_FAILED' : 'ACTIVITY_STATUS_COMPLETED',
    body,
    result: rare ? '' : JSON.stringify({ r: hex(32), s: hex(32), v: '00' }),
    failure: rare ? { code: 7, message: 'refused', details: [] } : null,
    version: 1,
    factsVersion: version,
    voteId: ids.next(),
    userId: ids.next(),
    userVersion: 1,
    credentialId: ids.next(),
    scheme: SCHEME,
    publicKey: `02${hex(32)}`,
    signature: `3044${hex(68)}`,
    ...times,
  };
  return { activity, facts: [{ organizationId, version }] };
}

async function activities(target: Target, count: number): Promise<void> {
  const { store, organizationId } = target;
  const { version } = (await store.read.organizations.get(organizationId))!;
  const failedEvery = Math.max(2, Math.floor(count / FOUND));
  await many(target, 'activities', count, async (from, to) => {
    const records = Array.from({ length: to - from }, (_, i) =>
      store.record(recordOf(organizationId, version, from + i, (from + i) % failedEvery === 0)),
    );
    for (const outcome of await Promise.all(records))
      if (outcome !== 'written') throw new Error(`a record was not written: ${outcome}`);
  });
}

function subOrganizations(target: Target, count: number): Promise<void> {
  const { store, organizationId: parentId } = target;
  const people = Math.max(1, Math.floor(count / FOUND));
  const one = async (tx: Writer, i: number) => {
    const [organizationId, userId] = [ids.next(), ids.next()];
    const times = { createdAt: clock, updatedAt: clock };
    const rootQuorum = { threshold: 1, userIds: [userId] };
    await tx.organizations.insert(newOrganization({ id: organizationId, parentId, name: `Person ${i}`, rootQuorum, ...times }));
    const own = { organizationId, parentId, ...times };
    await tx.users.insert(newUser({ ...own, id: userId, name: 'User', email: `person${i % people}@example.com` }));
    const key = { id: ids.next(), userId, type: 'CREDENTIAL_TYPE_API_KEY_P256', name: 'Key', publicKey: `02${hex(32)}` };
    await tx.credentials.insert(newCredential({ ...own, ...key }));
  };
  return many(target, 'sub-organizations', count, inOneTransaction(store, one));
}

async function large(target: Target, { users, policies, wallets }: Scale): Promise<void> {
  const { store, organizationId } = target;
  const own = () => ({ organizationId, id: ids.next(), createdAt: clock, updatedAt: clock });
  const user = (tx: Writer, i: number) => tx.users.insert(newUser({ ...own(), parentId: null, name: `User ${i}` }));
  const policy = (tx: Writer, i: number) =>
    tx.policies.insert({
      ...own(),
      name: `Policy of many ${i}`,
      effect: 'EFFECT_ALLOW',
      condition: `activity.action == 'SIGN' && wallet_account.address == '0x${i.toString(16).padStart(40, '0')}'`,
      consensus: `approvers.any(u, u.id == '${ids.next()}')`,
      time: '',
      notes: '',
    });
  const wallet = (tx: Writer, i: number) =>
    tx.wallets.insert({ ...own(), name: `Wallet ${i}`, exported: false, imported: false });
  await many(target, 'users', users, inOneTransaction(store, user));
  await many(target, 'policies', policies, inOneTransaction(store, policy));
  await many(target, 'wallets', wallets, inOneTransaction(store, wallet));
}

/** The lengths of what is sealed: a mnemonic's entropy, and an account's key. */
const SEALED = { mnemonic: 1 + 4 + 12 + 32 + 16, key: 1 + 4 + 12 + 32 + 16 };

/** Wallets with an account each. Random bytes take the place of sealed secrets. */
function walletsWithKeys(target: Target, count: number): Promise<void> {
  const { store, organizationId } = target;
  const sealed = (bytes: number) => Buffer.concat([Buffer.from([1, 0, 0, 0, 1]), randomBytes(bytes - 5)]);
  const one = async (tx: Writer, i: number) => {
    const [walletId, keyId] = [ids.next(), ids.next()];
    const times = { createdAt: clock, updatedAt: clock };
    const { curve, path, addressFormat } = signRawPayload.account;
    const address = `0x${hex(20)}`;
    await tx.wallets.insert({ organizationId, id: walletId, name: `Wallet ${i}`, exported: false, imported: false, ...times });
    await tx.signers.insertSecret(organizationId, walletId, 'mnemonic', sealed(SEALED.mnemonic));
    const account = { organizationId, id: keyId, walletId, curve, path, addressFormat, address };
    await tx.wallets.insertAccount({ ...account, publicKey: `02${hex(32)}`, name: null, exported: false, ...times });
    const signer = { organizationId, parentId: null, address, format: addressFormat, keyId, walletId, curve };
    await tx.signers.insert({ ...signer, disabled: false, position: 0 });
    await tx.signers.insertSecret(organizationId, keyId, 'account-key', sealed(SEALED.key));
  };
  return many(target, 'wallets', count, inOneTransaction(store, one));
}

async function filled(
  where: Where,
  organizationId: string,
  say: (text: string) => void,
  work: (target: Target) => Promise<void>,
): Promise<void> {
  const store = openStore({ folder: where.folder, url: where.databaseUrl, poolSize: 4 });
  try {
    await work({ store, organizationId, say });
  } finally {
    await store.close();
  }
}

/** Adds to the organization of a database that no service uses now. */
export const fill = (where: Where, organizationId: string, scale: Scale, say: (text: string) => void): Promise<void> =>
  filled(where, organizationId, say, async (target) => {
    await activities(target, scale.activities);
    await subOrganizations(target, scale.subOrganizations);
    await large(target, scale);
  });

/** The same: wallets whose keys never open. */
export const fillWallets = (where: Where, organizationId: string, count: number, say: (text: string) => void): Promise<void> =>
  filled(where, organizationId, say, (target) => walletsWithKeys(target, count));
