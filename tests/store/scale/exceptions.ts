/** Tables with statements that name no organization, and what these would need on a database of many machines. */

const LOOKUP =
  'a directory from the key to its organization: a second table, distributed by that key, written in the same transaction';
const CLAIM = 'workers for each part of the data: a lease for each part, and claims in one part only';
const POSITION = 'a position for each part, and a reader that follows each';
const ALIKE = 'a few rows that all requests read: a copy on each machine';
const SWEEP = 'nothing: each part removes its own expired rows';
const CHAIN = 'distribution by chain and address, beside the organizations';

export const EXCEPTIONS: Readonly<Record<string, string>> = {
  archived_fingerprints: 'nothing: it asks at the start whether any row exists',
  activities: POSITION,
  audit: POSITION,
  auth_proxy_configs: LOOKUP,
  authenticators: LOOKUP,
  boot_proofs: ALIKE,
  clock: 'one machine that has its row, or the time of the database in its place',
  credentials: LOOKUP,
  deleted_organizations: 'one worker for each part of the data',
  email_events: LOOKUP,
  gas_usage: SWEEP,
  instance: ALIKE,
  invitations: LOOKUP,
  leases: 'one machine that has them: some hundred rows a minute',
  master_keys: ALIKE,
  migrations: ALIKE,
  oauth_providers: LOOKUP,
  otps: SWEEP,
  outbox: CLAIM,
  quotas: ALIKE,
  rates: 'distribution by its own key: an address or a contact, not an organization',
  read_only_sessions: LOOKUP,
  scan_addresses: CHAIN,
  scan_blocks: CHAIN,
  scan_places: ALIKE,
  scanned_transactions: CHAIN,
  send_accounts: 'distribution by chain and address; claims in one part only',
  sends: CLAIM,
  service_keys: ALIKE,
  signers: LOOKUP,
  stream_events: SWEEP,
  stream_interests: SWEEP,
  tvc_debug_logs: SWEEP,
  tvc_provisionings: CLAIM,
  usage_counts: SWEEP,
  velocity_entries: 'nothing: each part has an oldest reservation of its own',
  webhook_deliveries: SWEEP,
  webhook_events: POSITION,
  webhook_keys: ALIKE,
  webhook_queues: CLAIM,
};

/** Of these, the tables that requests of the hot path reach, and why. */
export const IN_FLOWS: Readonly<Record<string, string>> = {
  clock: 'once a second for each process, beside the first request of that second',
  instance: 'with a synchronous standby, before a stored activity is answered again: the answer then survives a failover',
};
