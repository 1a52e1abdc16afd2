import type { Conn } from '../statement.ts';
import { activityReads, activityWrites } from './activities/activities.ts';
import { archiveReads } from './activities/archived.ts';
import { auditWrites } from './activities/audit.ts';
import { evaluationReads } from './activities/evaluations.ts';
import { proofReads, proofWrites } from './activities/proofs.ts';
import { requestLookupReads } from './activities/request-lookup.ts';
import { authProxyConfigReads, authProxyConfigWrites } from './credentials/auth-proxy-configs.ts';
import { authenticatorReads, authenticatorWrites } from './credentials/authenticators.ts';
import { credentialReads, credentialWrites } from './credentials/credentials.ts';
import { oauthProviderReads, oauthProviderWrites } from './credentials/oauth-providers.ts';
import { oauth2CredentialReads, oauth2CredentialWrites } from './credentials/oauth2-credentials.ts';
import { readOnlySessionReads, readOnlySessionWrites } from './credentials/read-only-sessions.ts';
import { sessionProfileReads, sessionProfileWrites } from './credentials/session-profiles.ts';
import { importTargetReads, importTargetWrites } from './keys/import-targets.ts';
import { privateKeyReads, privateKeyWrites } from './keys/private-keys.ts';
import { signerReads, signerWrites } from './keys/signers.ts';
import { walletReads, walletWrites } from './keys/wallets.ts';
import type { Counts } from './limits/counts.ts';
import { rateReads, rateWrites } from './limits/rates.ts';
import { emailEventReads, emailEventWrites } from './messages/email-events.ts';
import { mailTemplateReads, mailTemplateWrites } from './messages/mail-templates.ts';
import { outboxReads, outboxWrites } from './messages/outbox.ts';
import { otpReads, otpWrites } from './otp/otps.ts';
import { tokenUseWrites } from './otp/token-uses.ts';
import { deletedOrganizationReads, deletedOrganizationWrites } from './people/deleted-organizations.ts';
import { invitationReads, invitationWrites } from './people/invitations.ts';
import { organizationReads, organizationWrites } from './people/organizations.ts';
import { tagReads, tagWrites } from './people/tags.ts';
import { userStateReads } from './people/user-states.ts';
import { userVersions } from './people/user-versions.ts';
import { userWrites } from './people/user-writes.ts';
import { userReads } from './people/users.ts';
import { contractInterfaceReads, contractInterfaceWrites } from './policies/contract-interfaces.ts';
import { mfaPolicyReads, mfaPolicyWrites } from './policies/mfa-policies.ts';
import { policyReads, policyWrites } from './policies/policies.ts';
import { policyChangeReads } from './policies/policy-changes.ts';
import { gasReads, gasWrites } from './sends/gas.ts';
import { sendAccountReads, sendAccountWrites } from './sends/send-accounts.ts';
import { sendAttemptReads, sendAttemptWrites } from './sends/send-attempts.ts';
import { sendReads, sendWrites } from './sends/sends.ts';
import { sendOfAccountReads } from './sends/sends-of-account.ts';
import { clockReads, clockWrites } from './service/clock.ts';
import { instanceReads, instanceWrites } from './service/instance.ts';

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
  sendsOfAccount: sendOfAccountReads(conn),
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
