import { newUser } from '../../src/model/user.ts';
import type { Writer } from '../../src/store/types.ts';
import { idOf, NOW } from './names.ts';
import { activityOf, voteOf } from './repositories/activities/activity-rows.ts';
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
import { spendOf, velocityControlOf } from './repositories/policies/velocity-row.ts';
import { scanAddressOf, scannedTransactionOf, scanPlaceOf } from './repositories/scan/scan-rows.ts';
import { gasConfigOf, gasReservationOf } from './repositories/sends/gas-rows.ts';
import { attemptOf, sendOf } from './repositories/sends/send-rows.ts';
import { webhookEndpointOf } from './repositories/webhooks/webhook-endpoint-row.ts';
import { kidOf, streamEventOf, webhookDeliveryOf, webhookEventOf } from './repositories/webhooks/webhook-rows.ts';

export { digestOf, idOf, NOW } from './names.ts';
export { type Opened, openEmpty, openMigrated } from './opened.ts';
export { activityOf, auditOf, finished, voteOf } from './repositories/activities/activity-rows.ts';
export { oauthProviderOf } from './repositories/credentials/oauth-provider-row.ts';

export const times = { createdAt: NOW, updatedAt: NOW };

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

/** The key of a session. */
export const sessionOf = (organizationId: string, id: string, publicKey: string, parentId: string | null = null) => ({
  ...credentialOf(organizationId, id, publicKey, parentId),
  type: 'CREDENTIAL_TYPE_LOGIN',
  expiresAt: NOW + 900_000,
  expirationSeconds: 900,
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

export const base64Url = (text: string): string => Buffer.from(text).toString('base64url');

/** An organization beside the one of this name, for deletions. */
export const doomedOf = (name: string) => idOf(`doomed of ${name}`);

export const EMPTY = {
  parentId: null,
  name: 'new',
  version: 1,
  policiesVersion: 1,
  velocityVersion: 0,
  archivedUntil: 0,
  rootQuorum: { threshold: 1, userIds: [] as string[] },
  features: {},
  ipAllowlist: null,
  proxyUserId: null,
  rootRecovery: null,
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
    velocityVersion: 0,
    archivedUntil: 0,
    ipAllowlist: null,
    proxyUserId: null,
    rootRecovery: null,
    rootQuorum: { threshold: 1, userIds: [idOf('user')] },
    features: { FEATURE_NAME_EMAIL_AUTH: '' },
    ...times,
  });
  await tx.users.insert(userOf(id, 'user', parentId));
  await tx.credentials.insert(credentialOf(id, 'credential', `key of ${name}`, parentId));
  await tx.credentials.insert(sessionOf(id, 'login', `session of ${name}`, parentId));
  await tx.credentials.insert(sessionOf(id, 'ended login', `ended session of ${name}`, parentId));
  await tx.credentials.remove(id, idOf('ended login'), NOW);
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
  await tx.mfaPolicies.insert(mfaPolicyOf(id, 'mfa policy'));
  await tx.proofs.insert(proofOf(id, 'proof'));
  await tx.authProxyConfigs.insert(authProxyConfigOf(id));
  await tx.sends.insert(sendOf(id, 'send'));
  await tx.sends.insert(sendOf(id, 'mined send', { state: 'final', blockNumber: 1 }));
  await tx.sendAttempts.insert(attemptOf(id, 'send', { hash: `hash of ${name}` }));
  await tx.sendAccounts.makeDue({ caip2: 'eip155:31337', account: `account of ${id}`, kind: 'evm' }, NOW);
  await tx.gas.insertConfig(gasConfigOf(id));
  await tx.gas.insertReservation(gasReservationOf(id, 'send'));
  await tx.gas.add(id, NOW, 5);
  await tx.rates.spend({ key: Buffer.from(`rate of ${name}`), most: 2, now: NOW, endsAt: NOW, latest: NOW });
  await tx.webhookEndpoints.insert(webhookEndpointOf(id, 'webhook endpoint'));
  await tx.webhookEvents.insert(webhookEventOf(id, 'webhook event'));
  await tx.webhookDeliveries.insert([webhookDeliveryOf(id, 'webhook delivery')]);
  await tx.webhookKeys.add({ kid: kidOf(name), publicKey: Buffer.alloc(32), sealed: Buffer.alloc(1), createdAt: NOW });
  // Without a stream, records need no events.
  await tx.streams.open(id, NOW);
  await tx.streams.lapse(id, NOW);
  await tx.streams.append([streamEventOf(id, 7)]);
  await tx.auditFacts.put([auditedOf(id)], []);
  await tx.usage.add([usageCountOf(id)]);
  await tx.quotas.put(quotaOf(id, { level: 'over' }));
  await tx.billingAccounts.put(billingAccountOf(id));
  await tx.leases.claim(`lease of ${name}`, 'a', NOW, NOW);
  await tx.scan.putPlace(scanPlaceOf(name));
  await tx.scan.addBlock({ caip2: `chain of ${name}`, number: 1, hash: 'a' });
  await tx.scan.putAddress(scanAddressOf(name));
  await tx.scannedTransactions.insert(scannedTransactionOf(id));
  await tx.fiatOnRampCredentials.insert(fiatOnRampCredentialOf(id, 'row'));
  await tx.onRampTransactions.insert(onRampTransactionOf(id, 'row'));
  await tx.storedSecrets.insert(storedSecretOf(id, 'secret'));
  await tx.velocityControls.insert(velocityControlOf(id, 'control'));
  await tx.velocityCounters.count(id, idOf('activity'), [spendOf('control')], NOW);
  const sending = spendOf('control', { isReserved: true, reference: '00' });
  await tx.velocityCounters.count(id, idOf('sending'), [sending], NOW);
  await tx.signers.insertSecret(id, idOf('secret'), 'stored-secret', Buffer.from(`stored secret of ${name}`));
  await tx.secretTargets.insert(secretTargetOf(id, '00'));
  await tx.tvcOperators.insert(tvcOperatorOf(id, 'operator'));
  await tx.tvcOperatorSets.insert(tvcOperatorSetOf(id, 'set'));
  await tx.tvcApps.insert(tvcAppOf(id, 'app'));
  await tx.tvcDeployments.insert(tvcDeploymentOf(id, 'deployment'));
  await tx.tvcManifestApprovals.insert(tvcApprovalOf(id, 'operator'));
  await tx.appProofs.insert(appProofsOf(id, 'activity'));
  await tx.bootProofs.insert(bootProofOf(`of ${id}`));
  await tx.tvcQuorumKeys.insert(tvcQuorumKeyOf(id, 'quorum key'));
  await tx.tvcQuorumKeys.insertShare(tvcQuorumShareOf(id, '04aa'));
  await tx.tvcProvisionings.insert(tvcProvisioningOf(id));
  await tx.tvcProvisioningShares.insert(tvcProvisioningShareOf(id, 'operator'));
  await tx.tvcDebugLogs.insert(tvcDebugLogOf(id, 'log'), 100);
  await tx.freezes.insert(freezeOf(id, idOf('row')));
}
