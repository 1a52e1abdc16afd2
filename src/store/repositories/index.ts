import type { Conn } from '../statement.ts';
import { activityReads, activityWrites } from './activities.ts';
import { archiveReads } from './archived.ts';
import { auditWrites } from './audit.ts';
import { authProxyConfigReads, authProxyConfigWrites } from './auth-proxy-configs.ts';
import { authenticatorReads, authenticatorWrites } from './authenticators.ts';
import { clockReads, clockWrites } from './clock.ts';
import { contractInterfaceReads, contractInterfaceWrites } from './contract-interfaces.ts';
import type { Counts } from './counts.ts';
import { credentialReads, credentialWrites } from './credentials.ts';
import { deletedOrganizationReads, deletedOrganizationWrites } from './deleted-organizations.ts';
import { emailEventReads, emailEventWrites } from './email-events.ts';
import { evaluationReads } from './evaluations.ts';
import { gasReads, gasWrites } from './gas.ts';
import { importTargetReads, importTargetWrites } from './import-targets.ts';
import { instanceReads, instanceWrites } from './instance.ts';
import { invitationReads, invitationWrites } from './invitations.ts';
import { mailTemplateReads, mailTemplateWrites } from './mail-templates.ts';
import { mfaPolicyReads, mfaPolicyWrites } from './mfa-policies.ts';
import { oauthProviderReads, oauthProviderWrites } from './oauth-providers.ts';
import { oauth2CredentialReads, oauth2CredentialWrites } from './oauth2-credentials.ts';
import { organizationReads, organizationWrites } from './organizations.ts';
import { otpReads, otpWrites } from './otps.ts';
import { outboxReads, outboxWrites } from './outbox.ts';
import { policyReads, policyWrites } from './policies.ts';
import { policyChangeReads } from './policy-changes.ts';
import { privateKeyReads, privateKeyWrites } from './private-keys.ts';
import { proofReads, proofWrites } from './proofs.ts';
import { rateReads, rateWrites } from './rates.ts';
import { readOnlySessionReads, readOnlySessionWrites } from './read-only-sessions.ts';
import { requestLookupReads } from './request-lookup.ts';
import { sendAccountReads, sendAccountWrites } from './send-accounts.ts';
import { sendAttemptReads, sendAttemptWrites } from './send-attempts.ts';
import { sendLaneReads } from './send-lanes.ts';
import { sendReads, sendWrites } from './sends.ts';
import { sessionProfileReads, sessionProfileWrites } from './session-profiles.ts';
import { signerReads, signerWrites } from './signers.ts';
import { tagReads, tagWrites } from './tags.ts';
import { tokenUseWrites } from './token-uses.ts';
import { userStateReads } from './user-states.ts';
import { userVersions } from './user-versions.ts';
import { userWrites } from './user-writes.ts';
import { userReads } from './users.ts';
import { walletReads, walletWrites } from './wallets.ts';

/** All reads. A new repository needs only a line here to be part of Reader and Writer. */
export const readerOn = (conn: Conn) => ({
  instance: instanceReads(conn),
  clock: clockReads(conn),
  requestLookup: requestLookupReads(conn),
  organizations: organizationReads(conn),
  users: userReads(conn),
  credentials: credentialReads(conn),
  authenticators: authenticatorReads(conn),
  userStates: userStateReads(conn),
  tags: tagReads(conn),
  wallets: walletReads(conn),
  privateKeys: privateKeyReads(conn),
  signers: signerReads(conn),
  activities: activityReads(conn),
  archive: archiveReads(conn),
  policies: policyReads(conn),
  policyChanges: policyChangeReads(conn),
  evaluations: evaluationReads(conn),
  contractInterfaces: contractInterfaceReads(conn),
  importTargets: importTargetReads(conn),
  oauthProviders: oauthProviderReads(conn),
  deletedOrganizations: deletedOrganizationReads(conn),
  invitations: invitationReads(conn),
  sessionProfiles: sessionProfileReads(conn),
  outbox: outboxReads(conn),
  mailTemplates: mailTemplateReads(conn),
  emailEvents: emailEventReads(conn),
  otps: otpReads(conn),
  readOnlySessions: readOnlySessionReads(conn),
  oauth2Credentials: oauth2CredentialReads(conn),
  mfaPolicies: mfaPolicyReads(conn),
  proofs: proofReads(conn),
  authProxyConfigs: authProxyConfigReads(conn),
  rates: rateReads(conn),
  sends: sendReads(conn),
  sendAttempts: sendAttemptReads(conn),
  sendAccounts: sendAccountReads(conn),
  sendLanes: sendLaneReads(conn),
  gas: gasReads(conn),
});

/** All that a query receives. */
export type Reader = ReturnType<typeof readerOn>;

/** All writes, by repository. */
export function writesOn(conn: Conn, counts: Counts) {
  const versions = userVersions(conn);
  return {
    instance: instanceWrites(conn),
    clock: clockWrites(conn),
    organizations: organizationWrites(conn, counts),
    users: userWrites(conn, versions, counts),
    credentials: credentialWrites(conn, versions),
    authenticators: authenticatorWrites(conn, versions),
    tags: tagWrites(conn, versions, counts),
    wallets: walletWrites(conn, counts),
    privateKeys: privateKeyWrites(conn, counts),
    signers: signerWrites(conn),
    activities: activityWrites(conn),
    policies: policyWrites(conn, counts),
    contractInterfaces: contractInterfaceWrites(conn, counts),
    importTargets: importTargetWrites(conn),
    tokenUses: tokenUseWrites(conn),
    outbox: outboxWrites(conn),
    audit: auditWrites(conn),
    oauthProviders: oauthProviderWrites(conn, versions),
    deletedOrganizations: deletedOrganizationWrites(conn, counts, versions),
    invitations: invitationWrites(conn, counts),
    sessionProfiles: sessionProfileWrites(conn, counts),
    mailTemplates: mailTemplateWrites(conn),
    emailEvents: emailEventWrites(conn),
    otps: otpWrites(conn),
    readOnlySessions: readOnlySessionWrites(conn),
    oauth2Credentials: oauth2CredentialWrites(conn, counts),
    mfaPolicies: mfaPolicyWrites(conn, versions),
    proofs: proofWrites(conn),
    authProxyConfigs: authProxyConfigWrites(conn),
    rates: rateWrites(conn),
    sends: sendWrites(conn),
    sendAttempts: sendAttemptWrites(conn),
    sendAccounts: sendAccountWrites(conn),
    gas: gasWrites(conn),
  };
}

export type Writes = ReturnType<typeof writesOn>;
