import { builders } from '../builders.ts';
import { type EngineName, SQL_TYPES } from '../columns.ts';
import { foundation } from './0001-foundation.ts';
import { authority } from './0002-authority.ts';
import { keys } from './0003-keys.ts';
import { voters } from './0004-voters.ts';
import { accountCounts } from './0005-account-counts.ts';
import { policyVersions } from './0006-policy-versions.ts';
import { clock } from './0008-clock.ts';
import { lists } from './0009-lists.ts';
import { compact } from './0010-compact.ts';
import { archive } from './0011-archive.ts';
import { authenticators } from './0012-authenticators.ts';
import { oauthProviders } from './0013-oauth-providers.ts';
import { users } from './0014-users.ts';
import { deletedOrganizations } from './0015-deleted-organizations.ts';
import { ipAllowlists } from './0016-ip-allowlists.ts';
import { invitations } from './0017-invitations.ts';
import { otps } from './0018-otps.ts';
import { mail } from './0019-mail.ts';
import { readOnlySessions } from './0020-read-only-sessions.ts';
import { sessionProfiles } from './0021-session-profiles.ts';
import { oauth } from './0022-oauth.ts';
import { emailLogin } from './0023-email-login.ts';
import { verifiedContacts } from './0024-verified-contacts.ts';
import { mfa } from './0025-mfa.ts';
import { authProxy } from './0026-auth-proxy.ts';
import { rates } from './0027-rates.ts';
import { outboxPayers } from './0028-outbox-payers.ts';
import { sends } from './0029-sends.ts';
import { gas } from './0030-gas.ts';
import { sendCare } from './0031-send-care.ts';
import { orderedSends } from './0032-ordered-sends.ts';
import { waitingAccounts } from './0033-waiting-accounts.ts';
import { spentSends } from './0034-spent-sends.ts';
import { endedSessions } from './0035-ended-sessions.ts';
import { knownNonces } from './0036-known-nonces.ts';
import { codesOfTheProxy } from './0037-codes-of-the-proxy.ts';
import { isRebuild, type Migration } from './migration.ts';
import { rebuildAfresh } from './rebuild/run.ts';

export const migrations: readonly Migration[] = [
  foundation,
  authority,
  keys,
  voters,
  accountCounts,
  policyVersions,
  clock,
  lists,
  compact,
  archive,
  authenticators,
  oauthProviders,
  users,
  deletedOrganizations,
  ipAllowlists,
  invitations,
  otps,
  mail,
  readOnlySessions,
  sessionProfiles,
  oauth,
  emailLogin,
  verifiedContacts,
  mfa,
  authProxy,
  rates,
  outboxPayers,
  sends,
  gas,
  sendCare,
  orderedSends,
  waitingAccounts,
  spentSends,
  endedSessions,
  knownNonces,
  codesOfTheProxy,
];

/** The SQL of every step on a database without rows. */
export function statementsOf(migration: Migration, engine: EngineName): string[] {
  if (isRebuild(migration)) return rebuildAfresh(migration, engine);
  return migration.up(builders[engine], SQL_TYPES[engine], engine).map((step) => step.compile().sql);
}
