import type { Conn } from '../statement.ts';
import { activityReads, activityWrites } from './activities/activities.ts';
import { appProofReads, appProofWrites } from './activities/app-proofs.ts';
import { archiveReads } from './activities/archived.ts';
import { auditWrites } from './activities/audit.ts';
import { auditFactReads, auditFactWrites } from './activities/audit-facts.ts';
import { auditingReads } from './activities/audited.ts';
import { evaluationReads } from './activities/evaluations.ts';
import { proofReads, proofWrites } from './activities/proofs.ts';
import { requestLookupReads } from './activities/request-lookup.ts';
import { shippingReads, shippingWrites } from './activities/shipping.ts';
import { tvcAppReads, tvcAppWrites } from './apps/tvc-apps.ts';
import { tvcDebugLogReads, tvcDebugLogWrites } from './apps/tvc-debug-logs.ts';
import { tvcDeploymentReads, tvcDeploymentWrites } from './apps/tvc-deployments.ts';
import { tvcManifestApprovalReads, tvcManifestApprovalWrites } from './apps/tvc-manifest-approvals.ts';
import { tvcOperatorSetReads, tvcOperatorSetWrites } from './apps/tvc-operator-sets.ts';
import { tvcOperatorReads, tvcOperatorWrites } from './apps/tvc-operators.ts';
import { tvcProvisioningShareReads, tvcProvisioningShareWrites } from './apps/tvc-provisioning-shares.ts';
import { freeDeploymentReads, tvcProvisioningReads, tvcProvisioningWrites } from './apps/tvc-provisionings.ts';
import { tvcQuorumKeyReads, tvcQuorumKeyWrites } from './apps/tvc-quorum-keys.ts';
import { billingAccountReads, billingAccountWrites } from './billing/billing-accounts.ts';
import { allQuotaReads, quotaReads, quotaWrites } from './billing/quotas.ts';
import { summingReads, usageReads, usageWrites } from './billing/usage.ts';
import { authProxyConfigReads, authProxyConfigWrites } from './credentials/auth-proxy-configs.ts';
import { authenticatorReads, authenticatorWrites } from './credentials/authenticators.ts';
import { credentialReads, credentialWrites } from './credentials/credentials.ts';
import { fiatOnRampCredentialReads, fiatOnRampCredentialWrites } from './credentials/fiat-on-ramp-credentials.ts';
import { oauthProviderReads, oauthProviderWrites } from './credentials/oauth-providers.ts';
import { oauth2CredentialReads, oauth2CredentialWrites } from './credentials/oauth2-credentials.ts';
import { onRampTransactionReads, onRampTransactionWrites } from './credentials/on-ramp-transactions.ts';
import { readOnlySessionReads, readOnlySessionWrites } from './credentials/read-only-sessions.ts';
import { sessionProfileReads, sessionProfileWrites } from './credentials/session-profiles.ts';
import { importTargetReads, importTargetWrites } from './keys/import-targets.ts';
import { privateKeyReads, privateKeyWrites } from './keys/private-keys.ts';
import { secretTargetReads, secretTargetWrites } from './keys/secret-targets.ts';
import { signerReads, signerWrites } from './keys/signers.ts';
import { storedSecretReads, storedSecretWrites } from './keys/stored-secrets.ts';
import { walletReads, walletWrites } from './keys/wallets.ts';
import type { Counts } from './limits/counts.ts';
import { rateReads, rateWrites } from './limits/rates.ts';
import { emailEventReads, emailEventWrites } from './messages/email-events.ts';
import { mailTemplateReads, mailTemplateWrites } from './messages/mail-templates.ts';
import { outboxReads, outboxWrites } from './messages/outbox.ts';
import { otpReads, otpWrites } from './otp/otps.ts';
import { tokenUseWrites } from './otp/token-uses.ts';
import { deletedOrganizationReads, deletedOrganizationWrites } from './people/deleted-organizations.ts';
import { freezesReads, freezesWrites } from './people/freezes.ts';
import { invitationReads, invitationWrites } from './people/invitations.ts';
import { allOrganizationReads, organizationReads, organizationWrites } from './people/organizations.ts';
import { tagReads, tagWrites } from './people/tags.ts';
import { userStateReads } from './people/user-states.ts';
import { userVersions } from './people/user-versions.ts';
import { userWrites } from './people/user-writes.ts';
import { userReads } from './people/users.ts';
import { contractInterfaceReads, contractInterfaceWrites } from './policies/contract-interfaces.ts';
import { mfaPolicyReads, mfaPolicyWrites } from './policies/mfa-policies.ts';
import { policyReads, policyWrites } from './policies/policies.ts';
import { policyChangeReads } from './policies/policy-changes.ts';
import { allVelocityControlReads, velocityControlReads, velocityControlWrites } from './policies/velocity-controls.ts';
import { allVelocityCounterReads, velocityCounterReads, velocityCounterWrites } from './policies/velocity-counters.ts';
import { velocityPruningWrites } from './policies/velocity-pruning.ts';
import type { Settlements } from './policies/velocity-settlements.ts';
import { scanReads, scanWrites } from './scan/scan.ts';
import { scannedTransactionReads, scannedTransactionWrites } from './scan/scanned-transactions.ts';
import { watchedReads } from './scan/watched.ts';
import { gasReads, gasWrites } from './sends/gas.ts';
import { sendAccountReads, sendAccountWrites } from './sends/send-accounts.ts';
import { sendAttemptReads, sendAttemptWrites } from './sends/send-attempts.ts';
import { sendReads, sendWrites } from './sends/sends.ts';
import { sendOfAccountReads } from './sends/sends-of-account.ts';
import { bootProofReads, bootProofWrites } from './service/boot-proofs.ts';
import { clockReads, clockWrites } from './service/clock.ts';
import { instanceReads, instanceWrites } from './service/instance.ts';
import { leaseWrites } from './service/leases.ts';
import type { Upkeep } from './upkeep.ts';
import { streamChangeReads } from './webhooks/stream-changes.ts';
import { streamReads, streamWrites } from './webhooks/streams.ts';
import { webhookDeliveryReads, webhookDeliveryWrites } from './webhooks/webhook-deliveries.ts';
import { webhookEndpointReads, webhookEndpointWrites } from './webhooks/webhook-endpoints.ts';
import { webhookEventReads, webhookEventWrites } from './webhooks/webhook-events.ts';
import { webhookKeyReads, webhookKeyWrites } from './webhooks/webhook-keys.ts';
import { webhookQueueReads, webhookQueueWrites } from './webhooks/webhook-queues.ts';

/** Every repository. A line here makes it part of Reader, Writes and Writer. */
const repositories = {
  instance: { reads: instanceReads, writes: instanceWrites },
  clock: { reads: clockReads, writes: clockWrites },
  requestLookup: { reads: requestLookupReads },
  organizations: { reads: organizationReads, writes: organizationWrites },
  users: { reads: userReads, writes: userWrites },
  credentials: { reads: credentialReads, writes: credentialWrites },
  authenticators: { reads: authenticatorReads, writes: authenticatorWrites },
  userStates: { reads: userStateReads },
  tags: { reads: tagReads, writes: tagWrites },
  wallets: { reads: walletReads, writes: walletWrites },
  privateKeys: { reads: privateKeyReads, writes: privateKeyWrites },
  signers: { reads: signerReads, writes: signerWrites },
  activities: { reads: activityReads, writes: activityWrites },
  archive: { reads: archiveReads },
  policies: { reads: policyReads, writes: policyWrites },
  policyChanges: { reads: policyChangeReads },
  evaluations: { reads: evaluationReads },
  contractInterfaces: { reads: contractInterfaceReads, writes: contractInterfaceWrites },
  importTargets: { reads: importTargetReads, writes: importTargetWrites },
  oauthProviders: { reads: oauthProviderReads, writes: oauthProviderWrites },
  deletedOrganizations: { reads: deletedOrganizationReads, writes: deletedOrganizationWrites },
  invitations: { reads: invitationReads, writes: invitationWrites },
  sessionProfiles: { reads: sessionProfileReads, writes: sessionProfileWrites },
  outbox: { reads: outboxReads, writes: outboxWrites },
  mailTemplates: { reads: mailTemplateReads, writes: mailTemplateWrites },
  emailEvents: { reads: emailEventReads, writes: emailEventWrites },
  otps: { reads: otpReads, writes: otpWrites },
  readOnlySessions: { reads: readOnlySessionReads, writes: readOnlySessionWrites },
  oauth2Credentials: { reads: oauth2CredentialReads, writes: oauth2CredentialWrites },
  mfaPolicies: { reads: mfaPolicyReads, writes: mfaPolicyWrites },
  proofs: { reads: proofReads, writes: proofWrites },
  authProxyConfigs: { reads: authProxyConfigReads, writes: authProxyConfigWrites },
  rates: { reads: rateReads, writes: rateWrites },
  sends: { reads: sendReads, writes: sendWrites },
  sendAttempts: { reads: sendAttemptReads, writes: sendAttemptWrites },
  sendAccounts: { reads: sendAccountReads, writes: sendAccountWrites },
  sendsOfAccount: { reads: sendOfAccountReads },
  gas: { reads: gasReads, writes: gasWrites },
  tokenUses: { writes: tokenUseWrites },
  audit: { writes: auditWrites },
  auditing: { reads: auditingReads },
  auditFacts: { reads: auditFactReads, writes: auditFactWrites },
  shipping: { reads: shippingReads, writes: shippingWrites },
  webhookEndpoints: { reads: webhookEndpointReads, writes: webhookEndpointWrites },
  webhookEvents: { reads: webhookEventReads, writes: webhookEventWrites },
  webhookDeliveries: { reads: webhookDeliveryReads, writes: webhookDeliveryWrites },
  webhookQueues: { reads: webhookQueueReads, writes: webhookQueueWrites },
  webhookKeys: { reads: webhookKeyReads, writes: webhookKeyWrites },
  streams: { reads: streamReads, writes: streamWrites },
  streamChanges: { reads: streamChangeReads },
  leases: { writes: leaseWrites },
  scan: { reads: scanReads, writes: scanWrites },
  scannedTransactions: { reads: scannedTransactionReads, writes: scannedTransactionWrites },
  watched: { reads: watchedReads },
  fiatOnRampCredentials: { reads: fiatOnRampCredentialReads, writes: fiatOnRampCredentialWrites },
  onRampTransactions: { reads: onRampTransactionReads, writes: onRampTransactionWrites },
  storedSecrets: { reads: storedSecretReads, writes: storedSecretWrites },
  secretTargets: { reads: secretTargetReads, writes: secretTargetWrites },
  tvcOperators: { reads: tvcOperatorReads, writes: tvcOperatorWrites },
  tvcOperatorSets: { reads: tvcOperatorSetReads, writes: tvcOperatorSetWrites },
  tvcApps: { reads: tvcAppReads, writes: tvcAppWrites },
  tvcDeployments: { reads: tvcDeploymentReads, writes: tvcDeploymentWrites },
  tvcManifestApprovals: { reads: tvcManifestApprovalReads, writes: tvcManifestApprovalWrites },
  summing: { reads: summingReads },
  allOrganizations: { reads: allOrganizationReads },
  allQuotas: { reads: allQuotaReads },
  usage: { reads: usageReads, writes: usageWrites },
  quotas: { reads: quotaReads, writes: quotaWrites },
  billingAccounts: { reads: billingAccountReads, writes: billingAccountWrites },
  appProofs: { reads: appProofReads, writes: appProofWrites },
  bootProofs: { reads: bootProofReads, writes: bootProofWrites },
  tvcQuorumKeys: { reads: tvcQuorumKeyReads, writes: tvcQuorumKeyWrites },
  tvcProvisionings: { reads: tvcProvisioningReads, writes: tvcProvisioningWrites },
  freeDeployments: { reads: freeDeploymentReads },
  tvcProvisioningShares: { reads: tvcProvisioningShareReads, writes: tvcProvisioningShareWrites },
  tvcDebugLogs: { reads: tvcDebugLogReads, writes: tvcDebugLogWrites },
  velocityControls: { reads: velocityControlReads, writes: velocityControlWrites },
  velocityCounters: { reads: velocityCounterReads, writes: velocityCounterWrites },
  velocityPruning: { writes: velocityPruningWrites },
  freezes: { reads: freezesReads, writes: freezesWrites },
  allVelocityControls: { reads: allVelocityControlReads },
  allVelocityCounters: { reads: allVelocityCounterReads },
};

type Repositories = typeof repositories;
type Reading = { [R in keyof Repositories]: Repositories[R] extends { reads: unknown } ? R : never }[keyof Repositories];
type Writing = { [R in keyof Repositories]: Repositories[R] extends { writes: unknown } ? R : never }[keyof Repositories];

/** All that a query receives. */
export type Reader = { [R in Reading]: ReturnType<Repositories[R]['reads']> };

/** All writes, by repository. */
export type Writes = { [R in Writing]: ReturnType<Repositories[R]['writes']> };

type Opening = { name: string; reads?(conn: Conn): object; writes?(conn: Conn, upkeep: Upkeep): object };
const all: readonly Opening[] = Object.entries(repositories).map(([name, repository]) => ({ name, ...repository }));
const byName = new Map(all.map((one) => [one.name, one]));

export function readerOn(conn: Conn): Reader {
  const reader: Record<string, object> = {};
  for (const { name, reads } of all) if (reads) reader[name] = reads(conn);
  return reader as Reader;
}

/** Repositories by name. */
export type Opened = { reads(name: string): object | undefined; writes(name: string): object | undefined };

/** For a transaction, which uses few of them: each is made when it is asked for. */
export function openedOn(conn: Conn, counts: Counts, settlements: Settlements): Opened {
  const upkeep = { counts, versions: userVersions(conn), settlements };
  return {
    reads: (name) => byName.get(name)?.reads?.(conn),
    writes: (name) => byName.get(name)?.writes?.(conn, upkeep),
  };
}
