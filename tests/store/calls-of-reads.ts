import type { Subject } from '../../src/model/audit-fact.ts';
import { identityDigest } from '../../src/model/oauth-provider.ts';
import type { ActivityFilter, Reader } from '../../src/store/types.ts';
import type { Calls } from './calls.ts';
import { base64Url, credentialOf } from './fixture.ts';
import { digestOf, idOf, NOW } from './names.ts';
import { ephemeralKeyOf } from './repositories/activities/app-proof-rows.ts';
import { proxyIdOf } from './repositories/credentials/auth-proxy-config-row.ts';
import { identityOf } from './repositories/credentials/oauth-provider-row.ts';
import { velocityControlOf, velocityEntryOf } from './repositories/policies/velocity-row.ts';

const page = { limit: 10 };
const around = [
  page,
  { ...page, after: idOf('a') },
  { ...page, before: idOf('z') },
  { ...page, after: idOf('a'), before: idOf('z') },
];
const accountOf = (name: string) => ({ caip2: 'eip155:31337', account: `account of ${name}` });
const status = 'ACTIVITY_STATUS_COMPLETED';
const type = 'ACTIVITY_TYPE_CREATE_WALLET';

/** Every read method, with arguments that ask organization `asked` for rows of organization `holder`. The type makes it complete. */
export const reads = (name: string, holder = name, asked = idOf(name)): Calls<Reader> => ({
  instance: { get: [['key']], quarantine: [[]], masterKeys: [[]], serviceKeys: [[]] },
  clock: { get: [[]] },
  requestLookup: { get: [[asked, `key of ${holder}`, digestOf('activity')]] },
  organizations: {
    get: [[asked]],
    counted: [[asked, 'userCount']],
    namesOf: [[[asked]]],
    listeners: [[asked]],
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
    withContact: [true, false].flatMap((verified) =>
      [['email', 'mail@example.com'] as const, ['phone', '+14155550100'] as const].map(
        ([kind, contact]): Parameters<Reader['users']['withContact']> => [asked, { kind, contact, verified }, 2],
      ),
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
    ended: [[asked, idOf('ended login')]],
    expiring: [[asked, idOf('user')]],
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
    byIds: [[asked, [idOf('policy'), idOf('other')]]],
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
    byIds: [[asked, [idOf('wallet'), idOf('other')]]],
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
    isOfWallet: [[asked, `address of ${holder}`, 'ADDRESS_FORMAT_ETHEREUM']],
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
    sealedSecrets: [[asked, [idOf('secret')], 'stored-secret']],
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
      { from: 0, until: NOW + 1 },
    ].flatMap((filter) => around.map((p) => [asked, filter, p] as [string, ActivityFilter, typeof p])),
    byIds: [[asked, [idOf('activity'), idOf('archived')]]],
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
    due: [['t', NOW, 10]],
    dueOf: [['t', asked, NOW, 10]],
    payer: [['t'], ['t', asked]],
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
    ofIdentifier: [[asked, digestOf('somebody'), NOW - 1, 10]],
  },
  readOnlySessions: { get: [[asked, idOf('session')]], listByUser: [[asked, idOf('user')]] },
  oauth2Credentials: {
    ofClient: [[asked, 'OAUTH2_PROVIDER_X', 'client']],
    get: [[asked, idOf('oauth2 credential')]],
    page: around.map((p) => [asked, p]),
  },
  mfaPolicies: {
    get: [[asked, idOf('user'), idOf('mfa policy')]],
    listByUser: [[asked, idOf('user')]],
    ofUsers: [[asked, idOf('user'), idOf('user')]],
  },
  proofs: { ofActivity: [[asked, idOf('activity')]], ofActivities: [[asked, [idOf('activity')]]] },
  authProxyConfigs: { ofOrganization: [[asked]], byId: [[proxyIdOf(asked)]] },
  sends: {
    mined: [true, false].map((older) => [
      { organizationId: asked, fromAddress: `account of ${idOf(holder)}`, caip2: 'eip155:31337' },
      older ? { block: 2, id: idOf('send') } : { block: 0, id: idOf('send') },
      older,
      10,
    ]),
    get: [
      [asked, idOf('send')],
      [asked, idOf('archived')],
    ],
    ofActivity: [
      [asked, idOf('activity')],
      [asked, idOf('archived')],
    ],
    page: [
      {},
      { state: 'queued' as const },
      { fromAddress: `account of ${idOf(holder)}` },
      { caip2: 'eip155:31337' },
      { fromAddress: `account of ${idOf(holder)}`, caip2: 'eip155:31337' },
    ].flatMap((filter) => around.map((p) => [asked, filter, p] as [string, typeof filter, typeof p])),
  },
  sendsOfAccount: {
    notOver: [['eip155:31337', 'queued']],
    due: [[accountOf(idOf(holder)), 'queued', NOW, 10]],
    nextDue: [[accountOf(idOf(holder)), 'queued']],
    byNonce: [[accountOf(idOf(holder)), 'sent', { limit: 10 }]],
    lastByNonce: [[accountOf(idOf(holder)), 'sent', 10]],
    latest: [[accountOf(idOf(holder)), 'final', 10]],
    firstMessage: [[{ caip2: 'eip155:31337', fromAddress: `account of ${idOf(holder)}` }]],
  },
  sendAttempts: {
    ofSend: [[asked, idOf('send')]],
    ofSends: [[asked, [idOf('send')]]],
    ofOver: [
      [asked, idOf('send')],
      [asked, idOf('archived')],
    ],
    byHash: [[asked, `hash of ${holder}`, 10]],
  },
  sendAccounts: {
    get: [[accountOf(idOf(holder))]],
    due: [[['eip155:31337'], NOW, 10]],
    nextDue: [[['eip155:31337']]],
    networks: [[]],
  },
  gas: { config: [[asked]], spent: [[asked, NOW, 60_000]], reservation: [[asked, idOf('send')]] },
  rates: { get: [[Buffer.from(`rate of ${holder}`)]] },
  webhookEndpoints: {
    get: [[asked, idOf('webhook endpoint')]],
    receivers: [[[{ organizationId: asked, id: idOf('webhook endpoint') }]]],
    subscribers: [[[asked]]],
    page: around.map((p) => [asked, p]),
  },
  webhookEvents: { waiting: [[10]], at: [[[1]]], sent: [[[1]]], sizes: [[[1]]], stillStored: [[[1]]] },
  webhookDeliveries: {
    get: [[asked, idOf('webhook delivery')]],
    page: [
      {},
      { endpointId: idOf('webhook endpoint') },
      { status: 'PENDING' as const },
      { endpointId: idOf('webhook endpoint'), status: 'PENDING' as const },
    ].flatMap((filter) => around.map((p) => [asked, filter, p] as [string, typeof filter, typeof p])),
    due: [[asked, idOf('webhook endpoint'), NOW, 10]],
    leastTried: [[asked, idOf('webhook endpoint'), NOW]],
    nextDue: [[asked, idOf('webhook endpoint')]],
    pendingBefore: [[asked, idOf('webhook endpoint'), idOf('webhook delivery').replace(/^./, 'f'), 10]],
  },
  webhookQueues: {
    get: [[asked, idOf('webhook endpoint')]],
    due: [
      [NOW, 10, false, NOW - 1000],
      [NOW, 10, true, NOW - 1000],
    ],
    ownedBy: [['one']],
    nextDue: [[0, NOW]],
  },
  webhookKeys: { list: [[]], current: [[]] },
  streams: { interests: [[[asked]]], states: [[[asked]]], after: [[asked, 0, 10]], lapsed: [[NOW, 10]] },
  streamChanges: { end: [[]], latest: [[]], between: [[0, 10]] },
  scan: {
    place: [[`chain of ${holder}`]],
    blocks: [[`chain of ${holder}`, 10]],
    address: [[`chain of ${holder}`, 'address']],
    notFinal: [['eip155:1', { from: 0, upTo: 10 }, 10]],
    addressCount: [[`chain of ${holder}`]],
    leastRecentAddresses: [[`chain of ${holder}`, 10]],
  },
  scannedTransactions: {
    page: around.map((p) => [{ organizationId: asked, caip2: 'eip155:1', address: 'address' }, p]),
  },
  auditing: {
    place: [[]],
    endOfNext: [[{ activities: 0, audit: 0 }, 10]],
    between: [
      [
        { activities: 0, audit: 0 },
        { activities: 10, audit: 10 },
      ],
    ],
    votedOn: [[asked, idOf('activity')]],
    walletsOf: [[[{ organizationId: asked, address: `address of ${holder}` }]]],
    notAuditedSince: [[]],
  },
  shipping: { place: [[]], next: [[{ activities: 0, audit: 0 }, 10]], notShippedSince: [[]] },
  auditFacts: {
    page: around.map((p) => [asked, {}, p]),
    ofSubject: [{}, { statuses: [status], types: [type] }].flatMap((filter) =>
      around.map(
        (p) => [asked, { kind: 'user', subjectId: idOf('user') }, filter, p] as [string, Subject, ActivityFilter, typeof p],
      ),
    ),
    ofActivities: [[asked, [idOf('activity')]]],
  },
  summing: {
    place: [[]],
    endOfNext: [[{ activities: 0, audit: 0 }, 10]],
    ended: [[{ activities: 0, audit: 0 }, { activities: 10, audit: 10 }, [type]]],
    notSummedSince: [[]],
    hasBefore: [[NOW]],
  },
  allOrganizations: { topLevel: [[10], [10, idOf('a')]], recovering: [[10], [10, idOf('a')]] },
  allQuotas: { page: [[10]], count: [['near', NOW]] },
  usage: {
    range: [[asked, { width: 'DAY', from: 0, before: NOW }]],
    sums: [[[asked], { width: 'DAY', from: 0, before: NOW }]],
  },
  quotas: { of: [[[asked]]], overUntil: [[asked]] },
  billingAccounts: { get: [[asked]] },
  watched: { ethereum: [[['address']]], solana: [[['address']]], solanaAfter: [['solana:devnet', '', 10]] },
  fiatOnRampCredentials: {
    get: [[asked, idOf('row')]],
    newest: [[asked, 'FIAT_ON_RAMP_PROVIDER_COINBASE', false]],
    page: around.map((p) => [asked, p]),
  },
  onRampTransactions: { get: [[asked, idOf('row')]] },
  velocityControls: { get: [[asked, idOf('control')]], exists: [[asked, 'control']], page: around.map((p) => [asked, p]) },
  velocityCounters: {
    steps: [[asked, idOf('control'), '']],
    buckets: [
      [asked, idOf('control'), { limit: 10 }],
      [asked, idOf('control'), { limit: 10, after: 'a' }],
    ],
    reserved: [[asked, idOf('control'), ['', 'z'], 10]],
    entries: around.map((p) => [asked, idOf('control'), '', p]),
    entry: [[asked, { controlId: idOf('control'), bucket: '', activityId: idOf('activity') }]],
    hasReference: [[asked, idOf('control'), '00']],
    hasOpen: [[asked, idOf('control'), idOf('sending')]],
    open: [[asked, idOf('sending')]],
  },
  allVelocityControls: { page: [[10], [10, velocityControlOf(asked, 'control')]] },
  allVelocityCounters: {
    reservedSince: [[]],
    page: [[10], [10, { organizationId: asked, controlId: idOf('control'), bucket: '', steps: [] }]],
    entries: [[10], [10, velocityEntryOf(asked, 'control')]],
  },
  storedSecrets: { byIds: [[asked, [idOf('secret')]]], page: around.map((p) => [asked, p]) },
  secretTargets: { byPublicKeys: [[asked, ['00']]] },
  tvcOperators: {
    withEncryptKeys: [[asked, ['04aa']]],
    byIds: [[asked, [idOf('operator')]]],
    same: [[{ org: asked, name: 'operator', signPublicKey: '04bb', encryptPublicKey: '04aa' }]],
    page: around.map((p) => [asked, p]),
  },
  tvcOperatorSets: { byIds: [[asked, [idOf('set')]]], same: [[asked, 'set', 1, [idOf('operator')]]] },
  tvcApps: { get: [[asked, idOf('app')]], page: around.map((p) => [asked, p]) },
  tvcDeployments: {
    get: [[asked, idOf('deployment')]],
    byManifest: [[asked, idOf('deployment m')]],
    hasNonce: [[asked, idOf('app'), 1]],
    pageOfApp: around.map((p) => [asked, idOf('app'), p]),
    statesOfApp: around.map((p) => [asked, idOf('app'), p]),
  },
  tvcManifestApprovals: { ofDeployments: [[asked, [idOf('deployment')]]] },
  appProofs: { ofActivity: [[asked, idOf('activity')]] },
  bootProofs: { get: [[ephemeralKeyOf(`of ${asked}`)]], latest: [['countersign']] },
  tvcQuorumKeys: {
    byPublicKey: [[asked, '04cc']],
    share: [[asked, idOf('quorum key'), '04aa']],
    page: around.map((p) => [asked, p]),
  },
  tvcProvisionings: { get: [[asked, idOf('deployment')]], ofApp: [[asked, idOf('app')]] },
  freeDeployments: { first: [[NOW, 10]] },
  tvcProvisioningShares: { ofDeployment: [[asked, idOf('deployment')]] },
  tvcDebugLogs: { since: [[asked, idOf('deployment'), 0]] },
  freezes: { get: [[asked, idOf('row')]], ofKeys: [[asked]], page: around.map((p) => [asked, p]) },
});
