import { identityDigest } from '../../src/model/oauth-provider.ts';
import { newUser } from '../../src/model/user.ts';
import type { ActivityFilter, Reader, Writer, Writes } from '../../src/store/types.ts';
import { activityOf, auditOf, voteOf } from './activity-rows.ts';
import { invitationOf } from './invitation-row.ts';
import { emailEventOf, templateOf } from './mail-rows.ts';
import { digestOf, idOf, NOW } from './names.ts';
import { identityOf, oauthProviderOf } from './oauth-provider-row.ts';
import { oauth2CredentialOf } from './oauth2-credential-row.ts';
import { otpOf } from './otp-row.ts';
import { readOnlySessionOf } from './read-only-session-row.ts';
import { sessionProfileOf } from './session-profile-row.ts';

export { activityOf, auditOf, finished, voteOf } from './activity-rows.ts';
export { digestOf, idOf, NOW } from './names.ts';
export { oauthProviderOf } from './oauth-provider-row.ts';
export { type Opened, openEmpty, openMigrated } from './opened.ts';

const times = { createdAt: NOW, updatedAt: NOW };

export const userOf = (organizationId: string, id: string, parentId: string | null = null) =>
  newUser({
    organizationId: idOf(organizationId),
    id: idOf(id),
    parentId: parentId && idOf(parentId),
    name: 'name',
    email: 'Mail@Example.com',
    phone: '+14155550100',
    emailVerified: true,
    phoneVerified: true,
    ...times,
  });

export const credentialOf = (organizationId: string, id: string, publicKey: string, parentId: string | null = null) => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  parentId: parentId && idOf(parentId),
  userId: idOf('user'),
  type: 'CREDENTIAL_TYPE_API_KEY_P256',
  name: 'name',
  publicKey,
  expiresAt: null,
  expirationSeconds: null,
  ipAllowlist: null,
  sessionProfileId: null,
  ...times,
});

export const authenticatorOf = (organizationId: string, id: string, credentialId: string, parentId: string | null = null) => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  parentId: parentId && idOf(parentId),
  userId: idOf('user'),
  name: 'name',
  credentialId: base64Url(credentialId),
  publicKey: base64Url('public key'),
  rpIdHash: base64Url('hash of the relying party'),
  origin: 'https://example.com',
  aaguid: base64Url('aaguid'),
  transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL'],
  attestationType: 'none',
  model: 'a phone',
  ...times,
});

const base64Url = (text: string): string => Buffer.from(text).toString('base64url');

/** An organization beside the one of this name, for deletions. */
const doomedOf = (name: string) => idOf(`doomed of ${name}`);

const EMPTY = {
  parentId: null,
  name: 'new',
  version: 1,
  policiesVersion: 1,
  archivedUntil: 0,
  rootQuorum: { threshold: 1, userIds: [] as string[] },
  features: {},
  ipAllowlist: null,
  ...times,
};

/** One of everything in an organization. Ids are the same in every organization: only the organization tells them apart. */
export async function fill(tx: Writer, name: string, parent: string | null): Promise<void> {
  const id = idOf(name);
  const parentId = parent && idOf(parent);
  await tx.organizations.insert({
    id,
    parentId,
    name: 'name',
    version: 1,
    policiesVersion: 1,
    archivedUntil: 0,
    ipAllowlist: null,
    rootQuorum: { threshold: 1, userIds: [idOf('user')] },
    features: { FEATURE_NAME_EMAIL_AUTH: '' },
    ...times,
  });
  await tx.users.insert(userOf(id, 'user', parentId));
  await tx.credentials.insert(credentialOf(id, 'credential', `key of ${name}`, parentId));
  await tx.authenticators.insert(authenticatorOf(id, 'authenticator', `passkey of ${name}`, parentId));
  await tx.oauthProviders.insert(oauthProviderOf(id, 'provider', `subject of ${name}`, parentId));
  const kept = { organizationId: id, exported: false, imported: false, ...times };
  await tx.wallets.insert({ ...kept, id: idOf('wallet'), name: 'name' });
  const signs = { curve: 'CURVE_SECP256K1', publicKey: 'public', ...kept };
  await tx.wallets.insertAccount({
    ...signs,
    id: idOf('account'),
    walletId: idOf('wallet'),
    path: 'm/0',
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    address: `address of ${name}`,
    name: 'name',
  });
  await tx.privateKeys.insert({ ...signs, id: idOf('private'), name: 'name' });
  const signer = { organizationId: id, parentId, curve: 'CURVE_SECP256K1', disabled: false, position: 0 };
  const format = 'ADDRESS_FORMAT_ETHEREUM';
  await tx.signers.insert({ ...signer, address: `address of ${name}`, format, keyId: idOf('account'), walletId: idOf('wallet') });
  await tx.signers.insert({ ...signer, address: `private of ${name}`, format, keyId: idOf('private'), walletId: null });
  await tx.signers.insertSecret(id, idOf('wallet'), 'mnemonic', Buffer.from(`mnemonic of ${name}`));
  await tx.signers.insertSecret(id, idOf('account'), 'account-key', Buffer.from(`account key of ${name}`));
  await tx.signers.insertSecret(id, idOf('private'), 'private-key', Buffer.from(`private key of ${name}`));
  await tx.importTargets.put({
    organizationId: id,
    userId: idOf('user'),
    kind: 'wallet',
    id: idOf('target'),
    publicKey: 'public',
    sealed: Buffer.from(`target of ${name}`),
    createdAt: NOW,
  });
  await tx.tokenUses.insert({ organizationId: id, tokenId: idOf('token'), purpose: 'signup', expiresAt: NOW });
  await tx.tags.insert({ organizationId: id, id: idOf('tag'), kind: 'user', name: 'name', ...times });
  await tx.tags.add(id, idOf('tag'), idOf('user'), NOW);
  const text = { condition: 'true', consensus: '', time: '', notes: '' };
  await tx.policies.insert({ organizationId: id, id: idOf('policy'), name: 'name', effect: 'EFFECT_ALLOW', ...text, ...times });
  await tx.contractInterfaces.insert({
    organizationId: id,
    id: idOf('interface'),
    address: `contract of ${name}`,
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'name',
    notes: '',
    interface: '[]',
    ...times,
  });
  const evaluations = [{ policyId: idOf('policy'), outcome: 'OUTCOME_ALLOW' }];
  await tx.activities.insert(activityOf(id, 'activity'), { evaluations });
  await tx.activities.insertVote(voteOf(id, 'activity', 'later vote'), { evaluations });
  await tx.organizations.insert({ ...EMPTY, id: doomedOf(name) });
  await tx.users.insert(userOf(doomedOf(name), 'user'));
  await tx.invitations.insert(invitationOf(id, 'invitation'));
  await tx.sessionProfiles.insert(sessionProfileOf(id, 'profile'));
  await tx.mailTemplates.insert(templateOf(id, 'template'));
  await tx.emailEvents.insert(emailEventOf(id, 'email event', `mail.of.${name}@example.com`));
  await tx.otps.insert(otpOf(id, 'otp'));
  await tx.readOnlySessions.insert(readOnlySessionOf(id, 'session'));
  await tx.oauth2Credentials.insert(oauth2CredentialOf(id, 'oauth2 credential'));
}

type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
export type Calls<T> = { [R in keyof T]: { [M in keyof T[R]]: Arguments<T[R][M]>[] } };

const page = { limit: 10 };
const around = [
  page,
  { ...page, after: idOf('a') },
  { ...page, before: idOf('z') },
  { ...page, after: idOf('a'), before: idOf('z') },
];
const status = 'ACTIVITY_STATUS_COMPLETED';
const type = 'ACTIVITY_TYPE_CREATE_WALLET';

/** Every read method, with arguments that ask organization `asked` for rows of organization `holder`. The type makes it complete. */
export const reads = (name: string, holder = name, asked = idOf(name)): Calls<Reader> => ({
  instance: { get: [['key']], masterKeys: [[]], serviceKeys: [[]] },
  clock: { get: [[]] },
  requestLookup: { get: [[asked, `key of ${holder}`, digestOf('activity')]] },
  organizations: {
    get: [[asked]],
    counted: [[asked, 'userCount']],
    subOrganizationIds: [
      undefined,
      { by: 'VERIFIED' as const },
      ...(['NAME', 'USERNAME'] as const).map((by) => ({ by, values: ['name'] })),
      ...(['EMAIL', 'VERIFIED_EMAIL'] as const).map((by) => ({ by, values: ['mail@example.com'] })),
      ...(['PHONE_NUMBER', 'VERIFIED_PHONE_NUMBER'] as const).map((by) => ({ by, values: ['+14155550100'] })),
      { by: 'PUBLIC_KEY' as const, values: [`key of ${holder}`] },
      { by: 'OIDC_IDENTITY' as const, values: [identityDigest(identityOf(`subject of ${holder}`))] },
      { by: 'CREDENTIAL_ID' as const, values: [base64Url(`passkey of ${holder}`)] },
      { by: 'WALLET_ACCOUNT_ADDRESS' as const, values: [`address of ${holder}`, 'other form'] },
    ].flatMap((filter) => around.map((p) => [asked, filter, p] as [string, typeof filter, typeof p])),
  },
  users: {
    get: [[asked, idOf('user')]],
    past: [[asked, idOf('user'), 1]],
    page: around.map((p) => [asked, p]),
    withContact: [null, idOf('parent')].flatMap((parent) =>
      [true, false].flatMap((verified) => [
        [asked, parent, { kind: 'email' as const, contact: 'mail@example.com', verified }, 2] as [
          string,
          string | null,
          { kind: 'email' | 'phone'; contact: string; verified: boolean },
          number,
        ],
        [asked, parent, { kind: 'phone' as const, contact: '+14155550100', verified }, 2] as [
          string,
          string | null,
          { kind: 'email' | 'phone'; contact: string; verified: boolean },
          number,
        ],
      ]),
    ),
  },
  credentials: {
    holder: [[asked, `key of ${holder}`]],
    inSubOrganizations: [[asked, `key of ${holder}`, 2]],
    get: [[asked, idOf('credential')]],
    page: around.map((p) => [asked, p]),
    pageOfUser: around.map((p) => [asked, idOf('user'), p]),
    byUser: [
      [asked, undefined, 10],
      [asked, credentialOf(asked, ' ', ' '), 10],
    ],
    lastByUser: [[asked]],
    ofUsers: [[asked, idOf('user'), idOf('user')]],
    listByUser: [[asked, idOf('user')]],
  },
  authenticators: {
    holder: [[asked, base64Url(`passkey of ${holder}`)]],
    inSubOrganizations: [[asked, base64Url(`passkey of ${holder}`), 2]],
    get: [[asked, idOf('authenticator')]],
    pageOfUser: around.map((p) => [asked, idOf('user'), p]),
    ofUsers: [[asked, idOf('user'), idOf('user')]],
    listByUser: [[asked, idOf('user')]],
  },
  userStates: { get: [[asked, idOf('user')]], page: around.map((p) => [asked, p]) },
  tags: {
    get: [[asked, 'user', idOf('tag')]],
    page: [undefined, 'user' as const].flatMap((kind) => around.map((p) => [asked, kind, p] as [string, typeof kind, typeof p])),
    members: [[asked, idOf('tag')]],
    ofMember: [[asked, idOf('user')]],
    ofMembers: [[asked, [idOf('user'), idOf('other')]]],
    existing: [[asked, 'user', [idOf('tag'), idOf('other')]]],
  },
  contractInterfaces: {
    get: [[asked, idOf('interface')]],
    page: around.map((p) => [asked, p]),
    at: [[asked, 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', `contract of ${holder}`]],
  },
  importTargets: { get: [[asked, idOf('user'), 'wallet']] },
  policies: {
    get: [[asked, idOf('policy')]],
    several: [[asked, [idOf('policy'), idOf('other')]]],
    page: around.map((p) => [asked, p]),
  },
  policyChanges: {
    texts: [
      [asked, undefined, 10],
      [asked, idOf('a'), 10],
    ],
    since: [[asked, 1, 10]],
  },
  evaluations: {
    ofActivity: [
      [asked, idOf('activity')],
      [asked, idOf('archived')],
    ],
  },
  wallets: {
    get: [[asked, idOf('wallet')]],
    account: [[asked, idOf('account')]],
    page: around.map((p) => [asked, p]),
    several: [[asked, [idOf('wallet'), idOf('other')]]],
    unexported: [[asked]],
    accounts: [undefined, idOf('wallet')].flatMap((w) =>
      around.map((p) => [asked, w, p] as [string, string | undefined, typeof p]),
    ),
    accountByAddress: [[asked, idOf('wallet'), `address of ${holder}`]],
    accountByPath: [[asked, idOf('wallet'), 'm/0']],
    hasAccount: [[asked, idOf('wallet'), 'm/0', 'CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM']],
  },
  privateKeys: { get: [[asked, idOf('private')]], unexported: [[asked]], page: around.map((p) => [asked, p]) },
  signers: {
    find: [
      [asked, `address of ${holder}`],
      [asked, `private of ${holder}`],
    ],
    ofKey: [[asked, idOf('private')]],
    ofKeys: [[asked, [idOf('private'), idOf('other')]]],
    sealedSecret: [
      [asked, idOf('wallet'), 'mnemonic'],
      [asked, idOf('account'), 'account-key'],
      [asked, idOf('private'), 'private-key'],
    ],
  },
  archive: { idOf: [[asked, digestOf('archived')]] },
  activities: {
    get: [
      [asked, idOf('activity')],
      [asked, idOf('archived')],
    ],
    byFingerprint: [
      [asked, digestOf('activity')],
      [asked, digestOf('archived')],
    ],
    votes: [
      [asked, idOf('activity')],
      [asked, idOf('archived')],
    ],
    votesOf: [[asked, [idOf('activity'), idOf('other')]]],
    list: [
      {},
      { statuses: [status] },
      { types: [type] },
      { statuses: [status], types: [type] },
      { statuses: [status, 'ACTIVITY_STATUS_FAILED'], types: [type, 'other', 'another'] },
    ].flatMap((filter) => around.map((p) => [asked, filter, p] as [string, ActivityFilter, typeof p])),
  },
  oauthProviders: {
    get: [[asked, idOf('provider')]],
    byIdentity: [[asked, identityOf(`subject of ${holder}`)]],
    inSubOrganizations: [[asked, identityOf(`subject of ${holder}`), 2]],
    page: around.map((p) => [asked, p]),
    pageOfUser: around.map((p) => [asked, idOf('user'), p]),
    ofUsers: [[asked, idOf('user'), idOf('user')]],
    listByUser: [[asked, idOf('user')]],
  },
  deletedOrganizations: { get: [[asked]], next: [[]] },
  invitations: {
    get: [[asked, idOf('invitation')]],
    ofUser: [[asked, idOf('user')]],
    page: around.map((p) => [asked, p]),
  },
  sessionProfiles: { get: [[asked, idOf('profile')]], page: around.map((p) => [asked, p]) },
  outbox: {
    nextDue: [['t']],
    get: [['message']],
    page: [
      ['dead', 10],
      ['dead', 10, 'a'],
    ],
  },
  mailTemplates: { get: [[asked, idOf('template')]], ofOrganization: [[asked]] },
  emailEvents: {
    page: [undefined, 'Send' as const].flatMap((eventType) =>
      around.map(
        (p) =>
          [asked, { to: `mail.of.${holder}@example.com`, eventType }, p] as [
            string,
            { to: string; eventType?: 'Send' },
            typeof p,
          ],
      ),
    ),
  },
  otps: {
    get: [[asked, idOf('otp')]],
    ofContact: [[asked, 'Mail@Example.com', NOW - 1, 10]],
    countOfIdentifier: [[asked, digestOf('somebody'), NOW - 1, 10]],
  },
  readOnlySessions: { get: [[asked, idOf('session')]], listByUser: [[asked, idOf('user')]] },
  oauth2Credentials: { get: [[asked, idOf('oauth2 credential')]], page: around.map((p) => [asked, p]) },
});

/** Every write method with arguments for what `fill` made in `org`. The type makes it complete. */
export const writes = (name: string): Calls<Writes> => {
  const org = idOf(name);
  const own = { organizationId: org, ...times };
  const key = { ...own, curve: 'CURVE_SECP256K1', publicKey: 'public', exported: false, imported: false };
  const tag = { ...own, id: idOf('new'), kind: 'user', name: 'new' } as const;
  const policy = {
    ...own,
    id: idOf('new'),
    name: 'new',
    effect: 'EFFECT_ALLOW',
    condition: '',
    consensus: '',
    time: '',
    notes: '',
  } as const;
  const target = {
    organizationId: org,
    userId: idOf('user'),
    kind: 'wallet',
    id: idOf('target'),
    publicKey: 'p',
    createdAt: NOW,
  } as const;
  const outcome = { status, result: '{}', failure: null, factsVersion: 1 } as const;
  const text = { type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', label: 'new', notes: '', interface: '[]' } as const;
  const address = { ...own, parentId: null, address: 'new', format: 'f', curve: 'c', disabled: false, position: 0 };
  const message = { id: `message of ${name}`, topic: 't', payload: '{}', createdAt: NOW };
  return {
    instance: {
      put: [['key', 'value']],
      insertMasterKey: [[900, 'root', Buffer.alloc(1), NOW]],
      insertServiceKey: [[{ name: `service of ${name}`, publicKey: 'p', sealed: Buffer.alloc(1) }, NOW]],
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
      insert: [[{ ...EMPTY, id: idOf(`new beside ${name}`) }]],
      change: [[org, { name: 'changed' }, NOW]],
    },
    users: {
      insert: [[userOf(org, 'new')]],
      update: [[org, idOf('user'), { name: 'renamed' }, NOW]],
      remove: [[org, idOf('user'), NOW]],
    },
    credentials: {
      insert: [[credentialOf(org, 'new', 'new key')]],
      // The first may have gone with its user.
      remove: [
        [org, idOf('credential'), NOW],
        [org, idOf('new'), NOW],
      ],
      setIpAllowlist: [[org, idOf('credential'), { enabled: true, rules: [], onEvaluationError: 'DENY' }]],
    },
    authenticators: {
      insert: [[authenticatorOf(org, 'new', 'new passkey')]],
      remove: [
        [org, idOf('authenticator'), NOW],
        [org, idOf('new'), NOW],
      ],
    },
    tags: {
      insert: [[tag]],
      rename: [[{ ...tag, id: idOf('tag') }, 'renamed', NOW]],
      add: [[org, idOf('tag'), idOf('user'), NOW]],
      drop: [[org, idOf('tag'), idOf('user'), NOW]],
      dropMember: [[org, idOf('user'), NOW]],
      remove: [[org, 'user', idOf('tag'), NOW]],
    },
    wallets: {
      insert: [[{ ...key, id: idOf('new'), name: 'new' }]],
      insertAccount: [
        [{ ...key, id: idOf('new'), walletId: idOf('wallet'), path: 'm/1', addressFormat: 'f', address: 'new', name: null }],
      ],
      rename: [[org, idOf('wallet'), 'renamed', NOW]],
      renameAccount: [[org, idOf('account'), 'renamed', NOW]],
      setExported: [[org, idOf('wallet'), NOW]],
      setAccountExported: [[org, idOf('account'), NOW]],
      removeAccount: [[org, idOf('wallet'), idOf('account')]],
      removeAccountsOf: [[org, idOf('wallet')]],
      remove: [[org, idOf('wallet')]],
    },
    privateKeys: {
      insert: [[{ ...key, id: idOf('new'), name: 'new' }]],
      setExported: [[org, idOf('private'), NOW]],
      remove: [[org, idOf('private')]],
    },
    signers: {
      insert: [[{ ...address, keyId: idOf('private'), walletId: null }]],
      insertSecret: [[org, idOf('new'), 'private-key', Buffer.alloc(1)]],
      disable: [[org, idOf('private')]],
      destroy: [[org, idOf('private')]],
    },
    activities: {
      insert: [[activityOf(org, 'new')]],
      insertVote: [[voteOf(org, 'activity', 'new', { userId: 'third' })]],
      finish: [[activityOf(org, 'activity'), outcome, NOW]],
    },
    policies: {
      insert: [[policy]],
      update: [[{ ...policy, id: idOf('policy'), name: 'changed' }]],
      remove: [[org, idOf('policy')]],
    },
    contractInterfaces: { insert: [[{ ...own, id: idOf('new'), address: 'new', ...text }]], remove: [[org, idOf('interface')]] },
    importTargets: { put: [[{ ...target, sealed: Buffer.alloc(1) }]], use: [[{ ...target, sealed: Buffer.alloc(1) }]] },
    tokenUses: {
      insert: [[{ organizationId: org, tokenId: idOf('new'), purpose: 'login', expiresAt: NOW }]],
      sweep: [[org, NOW + 1, 10]],
    },
    outbox: {
      insert: [[{ ...message, organizationId: org, activityId: idOf('activity'), expiresAt: NOW }]],
      claim: [
        ['t', NOW, 1, 10],
        ['t', NOW, 1, 10, [org]],
      ],
      retryAt: [[{ id: message.id, attempts: 0 }, NOW, '']],
      dead: [[{ id: message.id, attempts: 0 }, 'no']],
      retry: [[message.id, NOW]],
      sweep: [[NOW, 1, 10]],
      done: [[message.id]],
    },
    audit: { insert: [[auditOf(org, 'activity', 'new')]] },
    oauthProviders: {
      insert: [[oauthProviderOf(org, 'new', 'new subject')]],
      remove: [
        [org, idOf('provider'), NOW],
        [org, idOf('new'), NOW],
      ],
    },
    deletedOrganizations: { add: [[doomedOf(name), NOW]], sweep: [[doomedOf(name), NOW]] },
    invitations: {
      insert: [[invitationOf(org, 'new')]],
      settle: [[org, idOf('invitation'), 'INVITATION_STATUS_ACCEPTED', NOW]],
    },
    sessionProfiles: { insert: [[sessionProfileOf(org, 'new')]] },
    mailTemplates: { insert: [[templateOf(org, 'new')]], remove: [[org, idOf('template')]] },
    emailEvents: { insert: [[emailEventOf(org, 'new')]], sweep: [[NOW + 1, 10]] },
    otps: {
      insert: [[otpOf(org, 'new')]],
      miss: [[otpOf(org, 'otp')]],
      close: [[org, idOf('otp')]],
      sweep: [[NOW + 1, 10]],
    },
    readOnlySessions: {
      insert: [[readOnlySessionOf(org, 'new')]],
      remove: [[org, idOf('session')]],
    },
    oauth2Credentials: {
      insert: [[oauth2CredentialOf(org, 'new')]],
      replace: [[oauth2CredentialOf(org, 'oauth2 credential', { clientId: 'another' })]],
      remove: [[org, idOf('oauth2 credential')]],
    },
  };
};
