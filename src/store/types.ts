import type { Activity } from '../model/activity.ts';
import type { EngineName } from './columns.ts';
import type { QuickCheck } from './engines/driver.ts';
import type { Watch } from './migrations/migrate.ts';
import type { activityReads, activityWrites } from './repositories/activities.ts';
import type { archiveReads } from './repositories/archived.ts';
import type { auditWrites } from './repositories/audit.ts';
import type { authProxyConfigReads, authProxyConfigWrites } from './repositories/auth-proxy-configs.ts';
import type { authenticatorReads, authenticatorWrites } from './repositories/authenticators.ts';
import type { clockReads, clockWrites } from './repositories/clock.ts';
import type { contractInterfaceReads, contractInterfaceWrites } from './repositories/contract-interfaces.ts';
import type { credentialReads, credentialWrites } from './repositories/credentials.ts';
import type { deletedOrganizationReads, deletedOrganizationWrites } from './repositories/deleted-organizations.ts';
import type { emailEventReads, emailEventWrites } from './repositories/email-events.ts';
import type { evaluationReads } from './repositories/evaluations.ts';
import type { gasReads, gasWrites } from './repositories/gas.ts';
import type { importTargetReads, importTargetWrites } from './repositories/import-targets.ts';
import type { instanceReads, instanceWrites } from './repositories/instance.ts';
import type { invitationReads, invitationWrites } from './repositories/invitations.ts';
import type { mailTemplateReads, mailTemplateWrites } from './repositories/mail-templates.ts';
import type { mfaPolicyReads, mfaPolicyWrites } from './repositories/mfa-policies.ts';
import type { oauthProviderReads, oauthProviderWrites } from './repositories/oauth-providers.ts';
import type { oauth2CredentialReads, oauth2CredentialWrites } from './repositories/oauth2-credentials.ts';
import type { organizationReads, organizationWrites } from './repositories/organizations.ts';
import type { otpReads, otpWrites } from './repositories/otps.ts';
import type { outboxReads, outboxWrites } from './repositories/outbox.ts';
import type { policyReads, policyWrites } from './repositories/policies.ts';
import type { policyChangeReads } from './repositories/policy-changes.ts';
import type { privateKeyReads, privateKeyWrites } from './repositories/private-keys.ts';
import type { proofReads, proofWrites } from './repositories/proofs.ts';
import type { rateReads, rateWrites } from './repositories/rates.ts';
import type { readOnlySessionReads, readOnlySessionWrites } from './repositories/read-only-sessions.ts';
import type { requestLookupReads } from './repositories/request-lookup.ts';
import type { sendAccountReads, sendAccountWrites } from './repositories/send-accounts.ts';
import type { sendAttemptReads, sendAttemptWrites } from './repositories/send-attempts.ts';
import type { sendLaneReads } from './repositories/send-lanes.ts';
import type { sendReads, sendWrites } from './repositories/sends.ts';
import type { sessionProfileReads, sessionProfileWrites } from './repositories/session-profiles.ts';
import type { signerReads, signerWrites } from './repositories/signers.ts';
import type { tagReads, tagWrites } from './repositories/tags.ts';
import type { tokenUseWrites } from './repositories/token-uses.ts';
import type { userStateReads } from './repositories/user-states.ts';
import type { userWrites } from './repositories/user-writes.ts';
import type { userReads } from './repositories/users.ts';
import type { walletReads, walletWrites } from './repositories/wallets.ts';
import type { Evaluated } from './tables/activities.ts';
import type { OutboxMessage } from './tables/outbox.ts';

export type { Page } from './page.ts';
export type { ActivityFilter, ActivityOutcome } from './repositories/activities.ts';
export type { PasskeyHolder } from './repositories/authenticators.ts';
export type { StoredClock } from './repositories/clock.ts';
export type { CredentialPlace, Holder } from './repositories/credentials.ts';
export type { Evaluation as StoredEvaluation } from './repositories/evaluations.ts';
export type { ServiceKeyRow, WrappedMasterKey } from './repositories/instance.ts';
export type { SubOrganizationFilter } from './repositories/organizations.ts';
export type { DueMessage, ListedMessage } from './repositories/outbox.ts';
export type { PolicyText } from './repositories/policy-changes.ts';
export type { RequestLookup } from './repositories/request-lookup.ts';
export type { SendFilter } from './repositories/sends.ts';
export type { SealedSigner } from './repositories/signers.ts';
export type { Evaluated } from './tables/activities.ts';
export type { AuditEntry } from './tables/audit.ts';
export type { OutboxMessage } from './tables/outbox.ts';

/** All reads. A query receives only this. */
export type Reader = {
  instance: ReturnType<typeof instanceReads>;
  clock: ReturnType<typeof clockReads>;
  requestLookup: ReturnType<typeof requestLookupReads>;
  organizations: ReturnType<typeof organizationReads>;
  users: ReturnType<typeof userReads>;
  credentials: ReturnType<typeof credentialReads>;
  authenticators: ReturnType<typeof authenticatorReads>;
  userStates: ReturnType<typeof userStateReads>;
  tags: ReturnType<typeof tagReads>;
  wallets: ReturnType<typeof walletReads>;
  privateKeys: ReturnType<typeof privateKeyReads>;
  signers: ReturnType<typeof signerReads>;
  activities: ReturnType<typeof activityReads>;
  archive: ReturnType<typeof archiveReads>;
  policies: ReturnType<typeof policyReads>;
  policyChanges: ReturnType<typeof policyChangeReads>;
  evaluations: ReturnType<typeof evaluationReads>;
  contractInterfaces: ReturnType<typeof contractInterfaceReads>;
  importTargets: ReturnType<typeof importTargetReads>;
  oauthProviders: ReturnType<typeof oauthProviderReads>;
  deletedOrganizations: ReturnType<typeof deletedOrganizationReads>;
  invitations: ReturnType<typeof invitationReads>;
  sessionProfiles: ReturnType<typeof sessionProfileReads>;
  outbox: ReturnType<typeof outboxReads>;
  mailTemplates: ReturnType<typeof mailTemplateReads>;
  emailEvents: ReturnType<typeof emailEventReads>;
  otps: ReturnType<typeof otpReads>;
  readOnlySessions: ReturnType<typeof readOnlySessionReads>;
  oauth2Credentials: ReturnType<typeof oauth2CredentialReads>;
  mfaPolicies: ReturnType<typeof mfaPolicyReads>;
  proofs: ReturnType<typeof proofReads>;
  authProxyConfigs: ReturnType<typeof authProxyConfigReads>;
  rates: ReturnType<typeof rateReads>;
  sends: ReturnType<typeof sendReads>;
  sendAttempts: ReturnType<typeof sendAttemptReads>;
  sendAccounts: ReturnType<typeof sendAccountReads>;
  sendLanes: ReturnType<typeof sendLaneReads>;
  gas: ReturnType<typeof gasReads>;
};

/** All writes, by repository. */
export type Writes = {
  instance: ReturnType<typeof instanceWrites>;
  clock: ReturnType<typeof clockWrites>;
  organizations: ReturnType<typeof organizationWrites>;
  users: ReturnType<typeof userWrites>;
  credentials: ReturnType<typeof credentialWrites>;
  authenticators: ReturnType<typeof authenticatorWrites>;
  tags: ReturnType<typeof tagWrites>;
  wallets: ReturnType<typeof walletWrites>;
  privateKeys: ReturnType<typeof privateKeyWrites>;
  signers: ReturnType<typeof signerWrites>;
  activities: ReturnType<typeof activityWrites>;
  policies: ReturnType<typeof policyWrites>;
  contractInterfaces: ReturnType<typeof contractInterfaceWrites>;
  importTargets: ReturnType<typeof importTargetWrites>;
  tokenUses: ReturnType<typeof tokenUseWrites>;
  outbox: ReturnType<typeof outboxWrites>;
  audit: ReturnType<typeof auditWrites>;
  oauthProviders: ReturnType<typeof oauthProviderWrites>;
  deletedOrganizations: ReturnType<typeof deletedOrganizationWrites>;
  invitations: ReturnType<typeof invitationWrites>;
  sessionProfiles: ReturnType<typeof sessionProfileWrites>;
  mailTemplates: ReturnType<typeof mailTemplateWrites>;
  emailEvents: ReturnType<typeof emailEventWrites>;
  otps: ReturnType<typeof otpWrites>;
  readOnlySessions: ReturnType<typeof readOnlySessionWrites>;
  oauth2Credentials: ReturnType<typeof oauth2CredentialWrites>;
  mfaPolicies: ReturnType<typeof mfaPolicyWrites>;
  proofs: ReturnType<typeof proofWrites>;
  authProxyConfigs: ReturnType<typeof authProxyConfigWrites>;
  rates: ReturnType<typeof rateWrites>;
  sends: ReturnType<typeof sendWrites>;
  sendAttempts: ReturnType<typeof sendAttemptWrites>;
  sendAccounts: ReturnType<typeof sendAccountWrites>;
  gas: ReturnType<typeof gasWrites>;
};

/** One transaction: reads see its own writes. */
export type Writer = Reader & Writes;

/** The version at which an organization's facts were seen; a decision holds only while all of them are current. */
export type Fact = { organizationId: string; version: number };

/** A new activity that changes nothing but its own record. */
export type FinishedRecord = {
  activity: Activity;
  facts: readonly Fact[];
  /** The outcomes of policies, if any was evaluated. */
  evaluations?: Evaluated | undefined;
  /** The outbox message, written with the record or not at all. */
  message?: Pick<OutboxMessage, 'id' | 'topic' | 'payload'> | undefined;
  /** Further conditional writes of the same transaction, such as a part of a limit. */
  reservations?: readonly Reservation[];
};

/** False: the record is refused, and nothing of it is written. */
export type Reservation = (tx: Writer) => Promise<boolean>;

export type RecordResult = 'written' | 'exists' | 'stale' | 'refused';

export type Store = {
  readonly engine: EngineName;
  /** Durable rows only. */
  readonly read: Reader;
  /**
   * Also raises the version of each organization whose facts `work` changed. `patienceMs`: so long it may wait for others to share a commit
   * with.
   */
  transaction<T>(work: (tx: Writer) => Promise<T>, patienceMs?: number): Promise<T>;
  /**
   * The hot path's only write, durable when it resolves. `exists` if the organization has the fingerprint, `stale` if a fact
   * changed, `refused` if a reservation was not granted; nothing is written in these cases.
   */
  record(finished: FinishedRecord): Promise<RecordResult>;
  /** Raises the stored time, in a write of its own. Throws Outdated. */
  raiseClock: Writes['clock']['raise'];
  /** Runs under an exclusive lock across all processes that share the database. */
  exclusively<T>(work: (tx: Writer) => Promise<T>): Promise<T>;
  /** Brings the database to this program's schema. `say` hears of work that takes long. */
  migrate(now: number, options?: Partial<Watch>): Promise<void>;
  /** Throws unless the database has this program's schema. */
  requireSchema(): Promise<void>;
  /** Whether activities were archived into a file that is not here. */
  lacksArchive(): Promise<boolean>;
  /** Resolves if no damage was met, the schema is this program's and the database takes a durable write. */
  check(now: number): Promise<void>;
  /** Whatever waits for the database ends now with an error, and nothing is asked of it any more. Not for SQLite. */
  interrupt(): void;
  /** Of SQLite's file. */
  readonly quickCheck?: QuickCheck | undefined;
  close(): Promise<void>;
};
