import { placeOf } from '../../src/model/scan.ts';
import type { Writes } from '../../src/store/types.ts';
import type { Calls } from './calls.ts';
import { authenticatorOf, credentialOf, doomedOf, EMPTY, sessionOf, times, userOf } from './fixture.ts';
import { idOf, NOW } from './names.ts';
import { activityOf, auditOf, voteOf } from './repositories/activities/activity-rows.ts';
import { appProofsOf, bootProofOf } from './repositories/activities/app-proof-rows.ts';
import { auditedOf } from './repositories/activities/audit-rows.ts';
import {
  tvcDebugLogOf,
  tvcProvisioningOf,
  tvcProvisioningShareOf,
  tvcQuorumKeyOf,
  tvcQuorumShareOf,
} from './repositories/apps/quorum-rows.ts';
import { tvcAppOf, tvcApprovalOf, tvcDeploymentOf, tvcOperatorOf, tvcOperatorSetOf } from './repositories/apps/tvc-rows.ts';
import { billingAccountOf, quotaOf, usageCountOf } from './repositories/billing/billing-rows.ts';
import { authProxyConfigOf } from './repositories/credentials/auth-proxy-config-row.ts';
import { oauthProviderOf } from './repositories/credentials/oauth-provider-row.ts';
import { oauth2CredentialOf } from './repositories/credentials/oauth2-credential-row.ts';
import { fiatOnRampCredentialOf, onRampTransactionOf } from './repositories/credentials/on-ramp-rows.ts';
import { readOnlySessionOf } from './repositories/credentials/read-only-session-row.ts';
import { sessionProfileOf } from './repositories/credentials/session-profile-row.ts';
import { secretTargetOf, storedSecretOf } from './repositories/keys/secret-rows.ts';
import { emailEventOf, templateOf } from './repositories/messages/mail-rows.ts';
import { otpOf } from './repositories/otp/otp-row.ts';
import { freezeOf } from './repositories/people/freeze-row.ts';
import { invitationOf } from './repositories/people/invitation-row.ts';
import { mfaPolicyOf, proofOf } from './repositories/policies/mfa-rows.ts';
import { spendOf, velocityControlOf, velocityEntryOf } from './repositories/policies/velocity-row.ts';
import { scanAddressOf, scannedTransactionOf, scanPlaceOf } from './repositories/scan/scan-rows.ts';
import { gasConfigOf, gasReservationOf } from './repositories/sends/gas-rows.ts';
import { attemptOf, sendOf } from './repositories/sends/send-rows.ts';
import { webhookEndpointOf } from './repositories/webhooks/webhook-endpoint-row.ts';
import {
  kidOf,
  storedDeliveryOf,
  streamEventOf,
  webhookDeliveryOf,
  webhookEventOf,
  webhookQueueOf,
} from './repositories/webhooks/webhook-rows.ts';

const status = 'ACTIVITY_STATUS_COMPLETED';

const attempt = {
  firstAttemptAt: NOW,
  lastAttemptAt: NOW,
  lastDurationMs: 1,
  lastStatusCode: 500,
  lastAnswer: 'no',
  lastError: 'status',
};

const heldAccount = (lane: { caip2: string; account: string }) => ({
  ...lane,
  nextNonce: 1,
  knownNonce: null,
  knownBlock: null,
  messagesTaken: 0,
  messageLane: '',
  messages: 0,
  waitsFor: '',
  owner: 'a',
  leaseUntil: NOW,
  dueAt: NOW,
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
  const lane = { caip2: 'eip155:31337', account: `account of ${org}` };
  const sending = heldAccount(lane);
  const message = { id: `message of ${name}`, topic: 't', payload: '{}', createdAt: NOW };
  return {
    instance: {
      setQuarantine: [
        [
          {
            ...{ cause: 'restored', detail: 'a test', since: '2026-01-01T00:00:00Z' },
            ...{ refusesBefore: null, sendsBefore: null, ended: null, held: [] },
          },
        ],
      ],
      put: [['key', 'value']],
      insertMasterKey: [[{ version: 900, rootId: 'root', wrapped: Buffer.alloc(1), state: 'coming', createdAt: NOW }]],
      rewrapMasterKey: [[900, Buffer.alloc(1), { rootId: 'other', wrapped: Buffer.alloc(2) }]],
      moveMasterKey: [[900, 'coming', 'live']],
      retireMasterKey: [[900, 'hashes']],
      objectToMasterKey: [[900, 'why']],
      insertServiceKey: [[{ name: `service of ${name}`, publicKey: 'p', sealed: Buffer.alloc(1) }, NOW]],
      putServiceKey: [[{ name: `service of ${name}`, publicKey: 'p', sealed: Buffer.alloc(2) }, NOW]],
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
      insert: [[credentialOf(org, 'new', 'new key')], [sessionOf(org, 'new login', 'new session')]],
      // The first may have gone with its user.
      remove: [
        [org, idOf('credential'), NOW],
        [org, idOf('new'), NOW],
        [org, idOf('new login'), NOW],
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
      claim: [[[{ id: message.id, dueAt: NOW }], NOW + 1]],
      retryAt: [[{ id: message.id, attempts: 0 }, NOW, '']],
      dead: [[{ id: message.id, attempts: 0 }, 'no']],
      retry: [[message.id, NOW]],
      sweep: [[NOW, 1, 10]],
      done: [[message.id]],
    },
    sends: { insert: [[sendOf(org, 'new')]], change: [[sendOf(org, 'send'), { state: 'failed' }, NOW]] },
    sendAttempts: {
      insert: [[attemptOf(org, 'send', { number: 2 })]],
      note: [
        [
          { organizationId: org, sendId: idOf('send'), number: 1 },
          { mayBeSent: true, said: 'ok' },
        ],
      ],
      expire: [[{ organizationId: org, sendId: idOf('send'), number: 1 }, 7]],
    },
    sendAccounts: {
      makeDue: [[{ ...lane, kind: 'evm' }, NOW]],
      lock: [[{ ...lane, kind: 'evm' }]],
      claim: [[lane, 'a', NOW, NOW + 1]],
      take: [[lane, 'a', NOW + 1]],
      hold: [[lane, 'a', NOW + 2]],
      change: [[{ ...sending, kind: 'evm' }, { nextNonce: 2 }]],
      release: [[lane, 'a', NOW]],
      releaseAll: [[NOW]],
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
    mfaPolicies: {
      insert: [[mfaPolicyOf(org, 'new')]],
      update: [[mfaPolicyOf(org, 'mfa policy', { name: 'another' })]],
      remove: [
        [org, idOf('user'), idOf('mfa policy'), NOW],
        [org, idOf('user'), idOf('new'), NOW],
      ],
    },
    proofs: { insert: [[proofOf(org, 'new')]] },
    authProxyConfigs: {
      // There is one in each organization.
      insert: [[authProxyConfigOf(`beside ${name}`)]],
      replace: [[{ ...authProxyConfigOf(org), keyId: null }]],
      setSettings: [[org, { ...authProxyConfigOf(org).settings, sessionExpirationSeconds: 61 }, NOW]],
    },
    gas: {
      hold: [[org]],
      // There is one in each organization.
      insertConfig: [[gasConfigOf(idOf(`beside ${name}`))]],
      replaceConfig: [[gasConfigOf(org, { enabled: false })]],
      insertReservation: [[gasReservationOf(org, 'new')]],
      setReserved: [[org, idOf('send'), 4]],
      add: [[org, NOW, 1]],
      sweep: [[NOW + 1, 10]],
    },
    rates: {
      spend: [[{ key: Buffer.from(`rate of ${name}`), most: 2, now: NOW, endsAt: NOW + 1, latest: NOW + 1 }]],
      sweep: [[NOW + 1, 10]],
    },
    webhookEndpoints: {
      insert: [[webhookEndpointOf(org, 'new')]],
      replace: [[webhookEndpointOf(org, 'webhook endpoint', { isActive: false })]],
      remove: [[org, idOf('webhook endpoint')]],
    },
    webhookEvents: {
      insert: [[webhookEventOf(org, 'new')]],
      fannedOut: [[[1], NOW]],
      remove: [[[900]]],
      sweep: [[NOW, 10]],
    },
    webhookDeliveries: {
      insert: [[[webhookDeliveryOf(org, 'new', { position: 2 })]]],
      note: [
        [[{ seen: storedDeliveryOf(org, 'webhook delivery'), status: 'PENDING', nextAt: NOW, endedAt: null, facts: attempt }]],
      ],
      end: [[storedDeliveryOf(org, 'webhook delivery', { attempts: 1 }), 'DEAD', NOW, attempt]],
      goOn: [[storedDeliveryOf(org, 'new')]],
      sweep: [[NOW + 1, 10]],
      hasten: [[webhookQueueOf(org), { now: NOW, after: 0, changedAt: NOW, limit: 1 }]],
      beginAfresh: [[org, [idOf('webhook delivery')]]],
      resend: [[org, idOf('webhook delivery'), NOW]],
    },
    webhookQueues: {
      makeDue: [[org, idOf('webhook endpoint'), NOW]],
      claim: [[[webhookQueueOf(org)], 'a', NOW, NOW + 1]],
      hold: [[webhookQueueOf(org), 'a', NOW + 2]],
      lock: [[[webhookQueueOf(org)], 'a']],
      settle: [[[webhookQueueOf(org, { owner: 'a', leaseUntil: NOW + 2 })]]],
      change: [[webhookQueueOf(org), { failures: 1, failingSince: NOW }]],
      resume: [[org, idOf('webhook endpoint'), NOW]],
      pauseByUser: [[org, idOf('webhook endpoint')]],
      release: [[webhookQueueOf(org), 'a', NOW]],
      releaseAll: [[NOW]],
      remove: [[org, idOf('webhook endpoint')]],
    },
    webhookKeys: {
      add: [[{ kid: kidOf('new'), publicKey: Buffer.alloc(32), sealed: Buffer.alloc(1), createdAt: NOW }]],
      sweep: [[NOW]],
    },
    streams: {
      open: [[org, NOW + 1]],
      append: [[[streamEventOf(org, 1), streamEventOf(org, 2)]]],
      lapse: [[org, NOW + 1]],
      sweep: [[NOW + 1, 10]],
    },
    scan: {
      putPlace: [[scanPlaceOf(name)]],
      addBlock: [[{ caip2: 'new', number: 2, hash: 'b' }]],
      dropBlocks: [[`chain of ${name}`, 1]],
      pruneBlocks: [[`chain of ${name}`, 1]],
      putAddress: [[scanAddressOf(name)]],
      checkedBy: [[NOW]],
      removeAddress: [[`chain of ${name}`, 'address']],
    },
    scannedTransactions: {
      insert: [[scannedTransactionOf(org, { place: placeOf(2, new Uint8Array(8)) })]],
      finalize: [[scannedTransactionOf(org)]],
      removeAbove: [['eip155:1', 1]],
      remove: [[scannedTransactionOf(org)]],
    },
    auditFacts: {
      put: [[[auditedOf(org)], [{ ...auditedOf(org), status: 'ACTIVITY_STATUS_FAILED' }]]],
      moveTo: [[{ activities: 0, audit: 0 }]],
    },
    shipping: { moveTo: [[{ activities: 0, audit: 0 }]] },
    usage: { add: [[[usageCountOf(org)]]], moveTo: [[{ activities: 0, audit: 0 }]], sweep: [[NOW, 10]] },
    quotas: { put: [[quotaOf(org, { level: 'over' })]], note: [[quotaOf(org, { used: 1 })]], remove: [[org]] },
    billingAccounts: { put: [[billingAccountOf(org)]] },
    leases: { claim: [['new', 'a', NOW, NOW + 1]], release: [['new', 'a']], releaseAll: [[]] },
    fiatOnRampCredentials: {
      insert: [[fiatOnRampCredentialOf(org, 'new')]],
      replace: [[fiatOnRampCredentialOf(org, 'row', { publishableApiKey: 'another' })]],
      remove: [[org, idOf('row')]],
    },
    onRampTransactions: {
      insert: [[onRampTransactionOf(org, 'new')]],
      claim: [[org, idOf('row'), { before: 0, now: NOW }]],
      settle: [[org, idOf('row'), 'COMPLETED', NOW]],
      sweep: [[org, NOW + 1, 10]],
    },
    velocityControls: {
      insert: [[velocityControlOf(org, 'new')]],
      setRemoval: [[org, idOf('control'), NOW]],
      setFull: [[org, idOf('control'), NOW]],
      remove: [[org, idOf('control')]],
    },
    velocityCounters: {
      count: [
        [org, idOf('new'), [spendOf('control'), spendOf('other')], NOW],
        [org, idOf('newer'), [spendOf('control', { isReserved: true, reference: '00' })], NOW],
      ],
      settle: [
        [org, idOf('sending'), 'released'],
        [org, idOf('newer'), 'mined', { paid: new Map([[idOf('control'), 1n]]) }],
      ],
      release: [[velocityEntryOf(org, 'control')]],
    },
    velocityPruning: {
      removeEntry: [[velocityEntryOf(org, 'other')]],
      removeCounter: [[{ organizationId: org, controlId: idOf('control'), bucket: '', steps: [] }]],
    },
    storedSecrets: { insert: [[storedSecretOf(org, 'new')]], remove: [[org, idOf('secret')]] },
    secretTargets: { insert: [[secretTargetOf(org, '01')]], use: [[org, '00']], sweep: [[org, NOW]] },
    tvcOperators: { insert: [[tvcOperatorOf(org, 'new')]] },
    tvcOperatorSets: { insert: [[tvcOperatorSetOf(org, 'new')]] },
    tvcApps: { insert: [[tvcAppOf(org, 'new')]], replace: [[tvcAppOf(org, 'app', { deleted: true })]] },
    tvcDeployments: {
      insert: [[tvcDeploymentOf(org, 'new', { nonce: 2 })]],
      replace: [[tvcDeploymentOf(org, 'deployment', { approvedAt: NOW })]],
      deleteOfApp: [[org, idOf('app'), NOW]],
    },
    tvcManifestApprovals: { insert: [[tvcApprovalOf(org, 'new')]] },
    appProofs: { insert: [[appProofsOf(org, 'new')]] },
    bootProofs: { insert: [[bootProofOf('new')]] },
    tvcQuorumKeys: {
      insert: [[tvcQuorumKeyOf(org, 'new', { publicKey: '04dd' })]],
      insertShare: [[tvcQuorumShareOf(org, '04bb')]],
    },
    tvcProvisionings: {
      insert: [[tvcProvisioningOf(org, { deploymentId: idOf('new') })]],
      claim: [[tvcProvisioningOf(org), 'other', NOW, NOW + 1]],
      hold: [[tvcProvisioningOf(org), 'other', NOW + 2]],
      release: [[tvcProvisioningOf(org), 'nobody', NOW]],
      lock: [[tvcProvisioningOf(org)]],
      replace: [[tvcProvisioningOf(org, { isReady: true })]],
      releaseAll: [[]],
      remove: [[org, idOf('deployment')]],
    },
    tvcProvisioningShares: {
      insert: [[tvcProvisioningShareOf(org, 'new')]],
      empty: [[org, idOf('deployment')]],
      remove: [[org, idOf('deployment')]],
    },
    tvcDebugLogs: {
      insert: [[tvcDebugLogOf(org, 'new'), 15]],
      sweep: [[NOW, 10]],
      remove: [[org, idOf('deployment')]],
    },
    freezes: { insert: [[freezeOf(org, idOf('new'))]], remove: [[org, idOf('row')]] },
  };
};
