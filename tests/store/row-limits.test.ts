import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEFAULT_LIMITS, type Limits } from '../../src/model/limits.ts';
import type { AnyTable } from '../../src/store/table.ts';
import { tables } from '../../src/store/tables/index.ts';

/** The limit of a table's rows in an organization, or why it has none. */
type RowLimit = keyof Limits | { because: string };

const RECORD = { because: 'a record of what was done: `./countersign archive` moves it, and the operator limits requests' };
const ARCHIVE = { because: 'the archive, which the operator fills' };
const ONE = { because: 'one row for an organization' };
const OF_KEYS = { because: 'rows of wallets, wallet accounts, private keys and secrets, which have limits' };

/** A new table of an organization gets its line here, which `npm run new -- table` writes. */
const ROW_LIMITS: Readonly<Record<string, RowLimit>> = {
  users: 'users',
  user_versions: { because: 'earlier versions of users, which votes name: the operator limits requests' },
  credentials: 'longLivedApiKeys',
  ended_sessions: { because: 'keys of ended sessions, which votes name: the operator limits requests' },
  authenticators: 'authenticators',
  oauth_providers: 'oauthProviders',
  mfa_policies: 'mfaPolicies',
  read_only_sessions: { because: 'at most ten of a user: a new one replaces the oldest' },
  tags: 'tags',
  tag_members: { because: 'one for each tag of a member, and both have limits' },
  wallets: 'wallets',
  wallet_accounts: 'walletAccounts',
  private_keys: 'privateKeys',
  signers: OF_KEYS,
  secrets: OF_KEYS,
  import_targets: { because: 'one for each user and kind of key' },
  token_uses: { because: 'each new row sweeps those of expired tokens' },
  otps: 'otpInitiations',
  policies: 'policies',
  policy_changes: { because: 'the last thousand versions' },
  contract_interfaces: 'contractInterfaceCharacters',
  invitations: 'invitations',
  session_profiles: 'sessionProfiles',
  oauth2_credentials: 'oauth2Credentials',
  auth_proxy_configs: ONE,
  mail_templates: { because: 'only the operator writes them' },
  email_events: { because: 'swept by age' },
  outbox: { because: 'removed once sent, and dropped when they expire' },
  activities: RECORD,
  votes: RECORD,
  proofs: RECORD,
  app_proofs: RECORD,
  audit: RECORD,
  audit_facts: { because: 'one for each activity, also of archived ones' },
  audit_subjects: { because: 'a few for each activity, also of archived ones' },
  sends: RECORD,
  send_attempts: RECORD,
  scanned_transactions: { because: 'the history of a chain that the operator chose to scan, for addresses that have a limit' },
  usage_counts: { because: 'at most one for each day, and one for each month, of 25 months' },
  quotas: ONE,
  billing_accounts: ONE,
  gas_configs: ONE,
  gas_usage: { because: 'swept by age' },
  gas_reservations: { because: 'one for each sponsored send' },
  tvc_operators: 'tvcOperators',
  tvc_operator_sets: { because: 'at most two for each app, and these have a limit' },
  tvc_apps: 'tvcApps',
  tvc_deployments: 'tvcDeployments',
  tvc_manifest_approvals: { because: 'at most fifty of a deployment' },
  tvc_quorum_keys: 'tvcQuorumKeys',
  tvc_quorum_shares: { because: 'at most 254 of a quorum key, and these have a limit' },
  tvc_provisionings: { because: 'one for each deployment, and these have a limit' },
  tvc_provisioning_shares: { because: 'at most fifty of a deployment' },
  tvc_debug_logs: { because: 'a mebibyte of a deployment, swept by age' },
  archived_fingerprints: ARCHIVE,
  archived_activities: ARCHIVE,
  archived_votes: ARCHIVE,
  archived_audit: ARCHIVE,
  archived_sends: ARCHIVE,
  archived_send_attempts: ARCHIVE,
  deleted_organizations: ONE,
  webhook_endpoints: 'webhookEndpoints',
  webhook_events: { because: 'swept by age' },
  webhook_deliveries: { because: 'one for each event and endpoint, swept by age; those of a paused endpoint are bounded' },
  stream_interests: { because: 'one for each organization' },
  stream_events: { because: 'swept by age' },
  webhook_queues: { because: 'one for each webhook endpoint, which have a limit' },
  fiat_on_ramp_credentials: 'fiatOnRampCredentials',
  on_ramp_transactions: { because: 'one for each activity that begins a purchase; each new row sweeps old ones' },
  stored_secrets: 'secrets',
  secret_targets: 'secrets',
  velocity_controls: 'velocityControls',
  velocity_counters: { because: 'one for each control and user, wallet or key, and these have a limit' },
  velocity_entries: { because: 'one for each executed activity and control' },
  freezes: 'freezes',
};

test('each table of an organization has a limit of its rows, or says why it needs none', () => {
  const owned = Object.values<AnyTable>(tables).filter(({ model }) => 'organizationId' in model);
  assert.deepEqual(Object.keys(ROW_LIMITS).sort(), owned.map(({ name }) => name).sort());
  for (const [name, limit] of Object.entries(ROW_LIMITS))
    if (typeof limit === 'string') assert.ok(limit in DEFAULT_LIMITS, `${name}: ${limit} is no limit of src/model/limits.ts`);
    else assert.ok(limit.because.length > 10, `${name}: say why its rows need no limit`);
});
