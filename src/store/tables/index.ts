import { activities, votes } from './activities.ts';
import { appProofs, bootProofs } from './app-proofs.ts';
import {
  archivedActivities,
  archivedAudit,
  archivedFingerprints,
  archivedSendAttempts,
  archivedSends,
  archivedVotes,
} from './archived.ts';
import { audit } from './audit.ts';
import { auditFacts, auditSubjects } from './audit-facts.ts';
import { authProxyConfigs } from './auth-proxy-configs.ts';
import { authenticators } from './authenticators.ts';
import { billingAccounts, quotas, usageCounts } from './billing.ts';
import { clock } from './clock.ts';
import { contractInterfaces } from './contract-interfaces.ts';
import { credentials, endedSessions } from './credentials.ts';
import { deletedOrganizations } from './deleted-organizations.ts';
import { emailEvents } from './email-events.ts';
import { fiatOnRampCredentials } from './fiat-on-ramp-credentials.ts';
import { freezes } from './freezes.ts';
import { gasConfigs, gasReservations, gasUsage } from './gas.ts';
import { importTargets } from './import-targets.ts';
import { instance, masterKeys, migrations, serviceKeys } from './instance.ts';
import { invitations } from './invitations.ts';
import { leases } from './leases.ts';
import { mailTemplates } from './mail-templates.ts';
import { mfaPolicies } from './mfa-policies.ts';
import { oauthProviders } from './oauth-providers.ts';
import { oauth2Credentials } from './oauth2-credentials.ts';
import { onRampTransactions } from './on-ramp-transactions.ts';
import { organizations } from './organizations.ts';
import { otps } from './otps.ts';
import { outbox } from './outbox.ts';
import { policies } from './policies.ts';
import { policyChanges } from './policy-changes.ts';
import { privateKeys } from './private-keys.ts';
import { proofs } from './proofs.ts';
import { rates } from './rates.ts';
import { readOnlySessions } from './read-only-sessions.ts';
import { scanAddresses, scanBlocks, scannedTransactions, scanPlaces } from './scan.ts';
import { secretTargets, storedSecrets } from './secrets.ts';
import { sendAccounts, sendAttempts, sends } from './sends.ts';
import { sessionProfiles } from './session-profiles.ts';
import { secrets, signers } from './signers.ts';
import { streamEvents, streamInterests } from './streams.ts';
import { tagMembers, tags } from './tags.ts';
import { tokenUses } from './token-uses.ts';
import { tvcApps, tvcDeployments, tvcManifestApprovals, tvcOperatorSets, tvcOperators } from './tvc.ts';
import { tvcDebugLogs, tvcProvisioningShares, tvcProvisionings, tvcQuorumKeys, tvcQuorumShares } from './tvc-quorum-keys.ts';
import { users, userVersions } from './users.ts';
import { velocityControls, velocityCounters, velocityEntries } from './velocity-controls.ts';
import { walletAccounts, wallets } from './wallets.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';
import { webhookEvents } from './webhook-events.ts';
import { webhookKeys } from './webhook-keys.ts';
import { webhookQueues } from './webhook-queues.ts';

export const tables = {
  migrations,
  instance,
  masterKeys,
  serviceKeys,
  clock,
  organizations,
  users,
  userVersions,
  credentials,
  authenticators,
  tags,
  tagMembers,
  wallets,
  walletAccounts,
  privateKeys,
  signers,
  secrets,
  importTargets,
  tokenUses,
  activities,
  votes,
  policies,
  policyChanges,
  contractInterfaces,
  outbox,
  audit,
  auditFacts,
  auditSubjects,
  archivedFingerprints,
  archivedActivities,
  archivedVotes,
  archivedAudit,
  archivedSends,
  archivedSendAttempts,
  oauthProviders,
  deletedOrganizations,
  invitations,
  sessionProfiles,
  mailTemplates,
  emailEvents,
  otps,
  readOnlySessions,
  oauth2Credentials,
  mfaPolicies,
  proofs,
  authProxyConfigs,
  rates,
  sends,
  sendAttempts,
  sendAccounts,
  gasConfigs,
  gasUsage,
  gasReservations,
  endedSessions,
  webhookEndpoints,
  webhookEvents,
  webhookDeliveries,
  webhookQueues,
  webhookKeys,
  streamInterests,
  streamEvents,
  leases,
  scanPlaces,
  scanBlocks,
  scanAddresses,
  scannedTransactions,
  fiatOnRampCredentials,
  onRampTransactions,
  storedSecrets,
  secretTargets,
  tvcOperators,
  tvcOperatorSets,
  tvcApps,
  tvcDeployments,
  tvcManifestApprovals,
  usageCounts,
  quotas,
  billingAccounts,
  appProofs,
  bootProofs,
  tvcQuorumKeys,
  tvcQuorumShares,
  tvcProvisionings,
  tvcProvisioningShares,
  tvcDebugLogs,
  velocityControls,
  velocityCounters,
  velocityEntries,
  freezes,
};
