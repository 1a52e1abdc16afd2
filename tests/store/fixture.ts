import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Activity, Vote } from '../../src/model/activity.ts';
import { newUser } from '../../src/model/user.ts';
import { openStore } from '../../src/store/store.ts';
import type { ActivityFilter, AuditEntry, FinishedRecord, Reader, Store, Writer, Writes } from '../../src/store/types.ts';
import { freshDatabase, rawSql } from '../support/database.ts';

export const NOW = 1_700_000_000_000;

export type Opened = {
  store: Store;
  folder: string;
  url: string | undefined;
  /** Runs SQL past the store, with $1, $2 … for parameters. */
  raw(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
};

/** A store on an empty database of this run's engine; not migrated yet. */
export async function openEmpty(onChange: (organizationId: string) => void = () => {}): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-store-'));
  const database = await freshDatabase();
  const store = openStore({ folder, url: database?.url, poolSize: 8, onChange });
  return {
    store,
    folder,
    url: database?.url,
    raw: (sql, ...parameters) => rawSql({ folder, url: database?.url }, sql, parameters),
    async close() {
      await store.close();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function openMigrated(onChange?: (organizationId: string) => void): Promise<Opened> {
  const opened = await openEmpty(onChange);
  await opened.store.migrate(NOW);
  return opened;
}

export const activityOf = (organizationId: string, id: string, more: Partial<Activity> = {}): Activity => ({
  organizationId,
  id,
  fingerprint: `sha256:${id}`,
  type: 'ACTIVITY_TYPE_CREATE_WALLET',
  status: 'ACTIVITY_STATUS_COMPLETED',
  body: Buffer.from('{}'),
  result: '{}',
  failure: null,
  version: 1,
  voteId: 'vote',
  userId: 'user',
  userVersion: 2,
  credentialId: 'credential',
  scheme: 'scheme',
  publicKey: 'key',
  signature: 'signature',
  factsVersion: 1,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});

/** A vote after the submitter's. */
export const voteOf = (organizationId: string, activityId: string, id: string, more: Partial<Vote> = {}): Vote => ({
  organizationId,
  activityId,
  id,
  userId: 'another',
  userVersion: 2,
  position: 1,
  credentialId: 'credential',
  selection: 'VOTE_SELECTION_APPROVED',
  scheme: 'scheme',
  publicKey: 'key',
  signature: 'signature',
  message: null,
  createdAt: NOW,
  ...more,
});

export const auditOf = (organizationId: string, activityId: string, id: string): AuditEntry => ({
  organizationId,
  id,
  activityId,
  event: 'vote.approved',
  actorOrganizationId: organizationId,
  actorUserId: 'user',
  credentialId: 'credential',
  createdAt: NOW,
});

export const finished = (organizationId: string, id: string, version: number, more: Partial<Activity> = {}): FinishedRecord => ({
  activity: activityOf(organizationId, id, more),
  facts: [{ organizationId, version }],
});

const times = { createdAt: NOW, updatedAt: NOW };

export const userOf = (organizationId: string, id: string, parentId: string | null = null) =>
  newUser({
    organizationId,
    id,
    parentId,
    name: 'name',
    email: 'Mail@Example.com',
    phone: '+14155550100',
    ...times,
  });

export const credentialOf = (organizationId: string, id: string, publicKey: string, parentId: string | null = null) => ({
  organizationId,
  id,
  parentId,
  userId: 'user',
  type: 'CREDENTIAL_TYPE_API_KEY_P256',
  name: 'name',
  publicKey,
  expiresAt: null,
  expirationSeconds: null,
  ...times,
});

/** One of everything in an organization. Ids are the same in every organization: only the organization tells them apart. */
export async function fill(tx: Writer, id: string, parentId: string | null): Promise<void> {
  await tx.organizations.insert({
    id,
    parentId,
    name: 'name',
    version: 1,
    policiesVersion: 1,
    rootQuorum: { threshold: 1, userIds: ['user'] },
    features: { FEATURE_NAME_EMAIL_AUTH: '' },
    ...times,
  });
  await tx.users.insert(userOf(id, 'user', parentId));
  await tx.credentials.insert(credentialOf(id, 'credential', `key of ${id}`, parentId));
  const kept = { organizationId: id, exported: false, imported: false, ...times };
  await tx.wallets.insert({ ...kept, id: 'wallet', name: 'name' });
  const signs = { curve: 'CURVE_SECP256K1', publicKey: 'public', ...kept };
  await tx.wallets.insertAccount({
    ...signs,
    id: 'account',
    walletId: 'wallet',
    path: 'm/0',
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    address: `address of ${id}`,
    name: 'name',
  });
  await tx.privateKeys.insert({ ...signs, id: 'private', name: 'name' });
  const signer = { organizationId: id, parentId, curve: 'CURVE_SECP256K1', disabled: false, position: 0 };
  const format = 'ADDRESS_FORMAT_ETHEREUM';
  await tx.signers.insert({ ...signer, address: `address of ${id}`, format, keyId: 'account', walletId: 'wallet' });
  await tx.signers.insert({ ...signer, address: `private of ${id}`, format, keyId: 'private', walletId: null });
  await tx.signers.insertSecret(id, 'wallet', 'mnemonic', Buffer.from(`mnemonic of ${id}`));
  await tx.signers.insertSecret(id, 'account', 'account-key', Buffer.from(`account key of ${id}`));
  await tx.signers.insertSecret(id, 'private', 'private-key', Buffer.from(`private key of ${id}`));
  await tx.importTargets.put({
    organizationId: id,
    userId: 'user',
    kind: 'wallet',
    id: 'target',
    publicKey: 'public',
    sealed: Buffer.from(`target of ${id}`),
    createdAt: NOW,
  });
  await tx.tags.insert({ organizationId: id, id: 'tag', kind: 'user', name: 'name', ...times });
  await tx.tags.add(id, 'tag', 'user', NOW);
  const text = { condition: 'true', consensus: '', time: '', notes: '' };
  await tx.policies.insert({ organizationId: id, id: 'policy', name: 'name', effect: 'EFFECT_ALLOW', ...text, ...times });
  await tx.contractInterfaces.insert({
    organizationId: id,
    id: 'interface',
    address: `contract of ${id}`,
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'name',
    notes: '',
    interface: '[]',
    ...times,
  });
  const evaluations = [{ policyId: 'policy', outcome: 'OUTCOME_ALLOW' }];
  await tx.activities.insert(activityOf(id, 'activity'), { evaluations });
  await tx.activities.insertVote(voteOf(id, 'activity', 'later vote'), { evaluations });
}

type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
export type Calls<T> = { [R in keyof T]: { [M in keyof T[R]]: Arguments<T[R][M]>[] } };

const page = { limit: 10 };
const around = [page, { ...page, after: 'a' }, { ...page, before: 'z' }, { ...page, after: 'a', before: 'z' }];
const status = 'ACTIVITY_STATUS_COMPLETED';
const type = 'ACTIVITY_TYPE_CREATE_WALLET';

/** Every read method, with arguments that ask organization `asked` for rows of organization `holder`. The type makes it complete. */
export const reads = (asked: string, holder = asked): Calls<Reader> => ({
  instance: { get: [['key']], masterKeys: [[]], serviceKeys: [[]] },
  clock: { get: [[]] },
  requestLookup: { get: [[asked, `key of ${holder}`, 'sha256:activity']] },
  organizations: {
    get: [[asked]],
    subOrganizationIds: [
      undefined,
      ...(['NAME', 'USERNAME'] as const).map((by) => ({ by, values: ['name'] })),
      { by: 'EMAIL' as const, values: ['mail@example.com'] },
      { by: 'PHONE_NUMBER' as const, values: ['+14155550100'] },
      { by: 'PUBLIC_KEY' as const, values: [`key of ${holder}`] },
      { by: 'WALLET_ACCOUNT_ADDRESS' as const, values: [`address of ${holder}`, 'other form'] },
    ].flatMap((filter) => around.map((p) => [asked, filter, p] as [string, typeof filter, typeof p])),
  },
  users: { get: [[asked, 'user']], past: [[asked, 'user', 1]], page: around.map((p) => [asked, p]) },
  credentials: {
    holder: [[asked, `key of ${holder}`]],
    inSubOrganizations: [[asked, `key of ${holder}`, 2]],
    get: [[asked, 'credential']],
    page: around.map((p) => [asked, p]),
    pageOfUser: around.map((p) => [asked, 'user', p]),
    byUser: [
      [asked, undefined, 10],
      [asked, credentialOf(asked, ' ', ' '), 10],
    ],
    ofUsers: [[asked, 'user', 'user']],
    listByUser: [[asked, 'user']],
  },
  tags: {
    get: [[asked, 'user', 'tag']],
    page: around.map((p) => [asked, 'user', p]),
    members: [[asked, 'tag']],
    ofMember: [[asked, 'user']],
    ofMembers: [[asked, ['user', 'other']]],
    existing: [[asked, 'user', ['tag', 'other']]],
  },
  contractInterfaces: {
    get: [[asked, 'interface']],
    page: around.map((p) => [asked, p]),
    at: [[asked, 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', `contract of ${holder}`]],
  },
  importTargets: { get: [[asked, 'user', 'wallet']] },
  policies: { get: [[asked, 'policy']], list: [[asked]], page: around.map((p) => [asked, p]) },
  policyChanges: {
    texts: [
      [asked, undefined, 10],
      [asked, 'a', 10],
    ],
    since: [[asked, 1, 10]],
  },
  evaluations: {
    ofActivity: [
      [asked, 'activity'],
      [asked, 'archived'],
    ],
  },
  wallets: {
    get: [[asked, 'wallet']],
    account: [[asked, 'account']],
    page: around.map((p) => [asked, p]),
    several: [[asked, ['wallet', 'other']]],
    accounts: [undefined, 'wallet'].flatMap((w) => around.map((p) => [asked, w, p] as [string, string | undefined, typeof p])),
    accountByAddress: [[asked, 'wallet', `address of ${holder}`]],
    accountByPath: [[asked, 'wallet', 'm/0']],
    hasAccount: [[asked, 'wallet', 'm/0', 'CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM']],
  },
  privateKeys: { get: [[asked, 'private']], page: around.map((p) => [asked, p]) },
  signers: {
    find: [
      [asked, `address of ${holder}`],
      [asked, `private of ${holder}`],
    ],
    ofKey: [[asked, 'private']],
    ofKeys: [[asked, ['private', 'other']]],
    sealedSecret: [
      [asked, 'wallet', 'mnemonic'],
      [asked, 'account', 'account-key'],
      [asked, 'private', 'private-key'],
    ],
  },
  archive: { idOf: [[asked, 'sha256:archived']] },
  activities: {
    get: [
      [asked, 'activity'],
      [asked, 'archived'],
    ],
    byFingerprint: [
      [asked, 'sha256:activity'],
      [asked, 'sha256:archived'],
    ],
    votes: [
      [asked, 'activity'],
      [asked, 'archived'],
    ],
    votesOf: [[asked, ['activity', 'other']]],
    list: [
      {},
      { statuses: [status] },
      { types: [type] },
      { statuses: [status], types: [type] },
      { statuses: [status, 'ACTIVITY_STATUS_FAILED'], types: [type, 'other', 'another'] },
    ].flatMap((filter) => around.map((p) => [asked, filter, p] as [string, ActivityFilter, typeof p])),
  },
});

/** Every write method with arguments for what `fill` made in `org`. The type makes it complete. */
export const writes = (org: string): Calls<Writes> => {
  const own = { organizationId: org, ...times };
  const key = { ...own, curve: 'CURVE_SECP256K1', publicKey: 'public', exported: false, imported: false };
  const tag = { ...own, id: 'new', kind: 'user', name: 'new' } as const;
  const policy = {
    ...own,
    id: 'new',
    name: 'new',
    effect: 'EFFECT_ALLOW',
    condition: '',
    consensus: '',
    time: '',
    notes: '',
  } as const;
  const target = { organizationId: org, userId: 'user', kind: 'wallet', id: 'target', publicKey: 'p', createdAt: NOW } as const;
  const outcome = { status, result: '{}', failure: null, factsVersion: 1 } as const;
  const text = { type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', label: 'new', notes: '', interface: '[]' } as const;
  const address = { ...own, parentId: null, address: 'new', format: 'f', curve: 'c', disabled: false, position: 0 };
  const quorum = { rootQuorum: { threshold: 1, userIds: [] }, features: {} };
  const message = { id: `message of ${org}`, topic: 't', payload: '{}', createdAt: NOW };
  return {
    instance: {
      put: [['key', 'value']],
      insertMasterKey: [[900, 'root', Buffer.alloc(1), NOW]],
      insertServiceKey: [[{ name: `service of ${org}`, publicKey: 'p', sealed: Buffer.alloc(1) }, NOW]],
    },
    // A later reset, and a time before: the second raises nothing.
    clock: {
      raise: [
        [0, NOW],
        [0, NOW - 1],
      ],
      reset: [[NOW]],
    },
    organizations: {
      hold: [[org]],
      count: [[org, 'userCount']],
      insert: [[{ ...times, id: `new beside ${org}`, parentId: null, name: 'new', version: 1, policiesVersion: 1, ...quorum }]],
      change: [[org, { name: 'changed' }, NOW]],
    },
    users: { insert: [[userOf(org, 'new')]], update: [[org, 'user', { name: 'renamed' }, NOW]], remove: [[org, 'user', NOW]] },
    credentials: { insert: [[credentialOf(org, 'new', 'new key')]], remove: [[org, 'credential', NOW]] },
    tags: {
      insert: [[tag]],
      rename: [[{ ...tag, id: 'tag' }, 'renamed', NOW]],
      add: [[org, 'tag', 'user', NOW]],
      drop: [[org, 'tag', 'user', NOW]],
      dropMember: [[org, 'user', NOW]],
      remove: [[org, 'user', 'tag', NOW]],
    },
    wallets: {
      insert: [[{ ...key, id: 'new', name: 'new' }]],
      insertAccount: [[{ ...key, id: 'new', walletId: 'wallet', path: 'm/1', addressFormat: 'f', address: 'new', name: null }]],
      rename: [[org, 'wallet', 'renamed', NOW]],
      renameAccount: [[org, 'account', 'renamed', NOW]],
      setExported: [[org, 'wallet', NOW]],
      setAccountExported: [[org, 'account', NOW]],
      removeAccount: [[org, 'wallet', 'account']],
      removeAccountsOf: [[org, 'wallet']],
      remove: [[org, 'wallet']],
    },
    privateKeys: {
      insert: [[{ ...key, id: 'new', name: 'new' }]],
      setExported: [[org, 'private', NOW]],
      remove: [[org, 'private']],
    },
    signers: {
      insert: [[{ ...address, keyId: 'private', walletId: null }]],
      insertSecret: [[org, 'new', 'private-key', Buffer.alloc(1)]],
      disable: [[org, 'private']],
      destroy: [[org, 'private']],
    },
    activities: {
      insert: [[activityOf(org, 'new')]],
      insertVote: [[voteOf(org, 'activity', 'new', { userId: 'third' })]],
      finish: [[activityOf(org, 'activity'), outcome, NOW]],
    },
    policies: {
      insert: [[policy]],
      update: [[{ ...policy, id: 'policy', name: 'changed' }]],
      remove: [[org, 'policy']],
    },
    contractInterfaces: { insert: [[{ ...own, id: 'new', address: 'new', ...text }]], remove: [[org, 'interface']] },
    importTargets: { put: [[{ ...target, sealed: Buffer.alloc(1) }]], use: [[{ ...target, sealed: Buffer.alloc(1) }]] },
    outbox: {
      insert: [[{ ...message, organizationId: org, activityId: 'activity' }]],
      claim: [[NOW, 1, 10]],
      done: [[message.id]],
      retryAt: [[message.id, NOW]],
      dead: [[message.id]],
    },
    audit: { insert: [[auditOf(org, 'activity', 'new')]] },
  };
};
