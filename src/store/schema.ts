import type { Kysely } from 'kysely';

/** 0 or 1: there is no native boolean column, because that is where engines part. */
export type Flag = 0 | 1;

type Timestamps = { created_at: number; updated_at: number };

/**
 * All tables. Four column types only: text, int (milliseconds and counters below 2^53), flag and bytes.
 * `parent_id` is repeated where a parent looks its sub-organizations up by what they hold.
 */
export type Schema = {
  migrations: { version: number; name: string; applied_at: number };
  /** The instance's own facts, such as the id of the root organization. */
  instance: { key: string; value: string };
  /** Versions of the master key, each wrapped by a root key. */
  master_keys: { version: number; root_id: string; wrapped: Uint8Array; retired: Flag; created_at: number };
  organizations: Timestamps & {
    id: string;
    parent_id: string | null;
    name: string;
    /** Raised with every change that a decision may rest on; an activity's transaction re-reads it. */
    version: number;
    /** JSON: { threshold, userIds } */
    root_quorum: string;
    /** JSON: feature name → value ('' where the feature has none) */
    features: string;
  };
  users: Timestamps & {
    organization_id: string;
    id: string;
    parent_id: string | null;
    name: string;
    email: string | null;
    /** Lower-cased copy of the email, for look-ups. */
    email_key: string | null;
    phone: string | null;
    /** Raised with every change to the user or to what is shown with it. */
    version: number;
  };
  credentials: Timestamps & {
    organization_id: string;
    id: string;
    parent_id: string | null;
    user_id: string;
    /** CREDENTIAL_TYPE_… */
    type: string;
    name: string;
    /** Lower-case hex: compressed SEC1 point, or 32 bytes of Ed25519. */
    public_key: string;
    /** Null: does not expire. */
    expires_at: number | null;
    expiration_seconds: number | null;
  };
  tags: Timestamps & { organization_id: string; id: string; kind: 'user' | 'private_key'; name: string };
  tag_members: { organization_id: string; tag_id: string; member_id: string };
  wallets: Timestamps & {
    organization_id: string;
    id: string;
    name: string;
    exported: Flag;
    imported: Flag;
    /** How many it has. */
    accounts: number;
  };
  wallet_accounts: Timestamps & {
    organization_id: string;
    id: string;
    wallet_id: string;
    curve: string;
    path: string;
    address_format: string;
    address: string;
    public_key: string;
    name: string | null;
    exported: Flag;
  };
  private_keys: Timestamps & {
    organization_id: string;
    id: string;
    name: string;
    curve: string;
    public_key: string;
    exported: Flag;
    imported: Flag;
  };
  /** What `signWith` may name: addresses of wallet accounts and of private keys, and private key ids. */
  signers: {
    organization_id: string;
    parent_id: string | null;
    address: string;
    /** ADDRESS_FORMAT_…, or '' for a private key's id */
    format: string;
    /** Id of the wallet account or private key whose secret signs. */
    key_id: string;
    /** Null for a standalone private key. */
    wallet_id: string | null;
    curve: string;
    disabled: Flag;
    /** Of the address among those of its key. */
    position: number;
  };
  secrets: { organization_id: string; id: string; purpose: string; sealed: Uint8Array };
  /** The key that a user seals to what they bring in next; removed by the import that uses it. */
  import_targets: {
    organization_id: string;
    user_id: string;
    kind: string;
    id: string;
    public_key: string;
    sealed: Uint8Array;
    created_at: number;
  };
  /** The service's own signing keys, shared by all processes of the database. */
  service_keys: { name: string; public_key: string; sealed: Uint8Array; created_at: number };
  activities: Timestamps & {
    organization_id: string;
    id: string;
    fingerprint: string;
    type: string;
    status: string;
    /** The request body exactly as it was signed. */
    body: Uint8Array;
    /** JSON of the newest result shape; '' while there is none. */
    result: string;
    /** JSON of the failure; '' where there is none. */
    failure: string;
    /** Compare-and-set guard. */
    version: number;
  };
  votes: {
    organization_id: string;
    activity_id: string;
    id: string;
    user_id: string;
    credential_id: string;
    selection: string;
    scheme: string;
    public_key: string;
    signature: string;
    /** The signed body of this vote; null where it is the activity's own. */
    message: Uint8Array | null;
    created_at: number;
    /** Of the user's row when the vote was cast; 0 where that was not kept. */
    user_version: number;
    /** Which vote of the activity it is: the version of the activity that it was cast on, 0 for the submitter's. */
    position: number;
  };
  /** Users as they were, up to a change: what votes of that version show. */
  user_versions: {
    organization_id: string;
    user_id: string;
    version: number;
    /** JSON of UserVersion. */
    content: string;
  };
  policies: Timestamps & {
    organization_id: string;
    id: string;
    name: string;
    effect: string;
    condition: string;
    consensus: string;
    time: string;
    notes: string;
  };
  contract_interfaces: Timestamps & {
    organization_id: string;
    id: string;
    address: string;
    /** SMART_CONTRACT_INTERFACE_TYPE_… */
    type: string;
    label: string;
    notes: string;
    /** The ABI or IDL as it was given. */
    interface: string;
  };
  /** JSON of what policies came to, for each vote that they were asked about. */
  evaluations: {
    organization_id: string;
    activity_id: string;
    vote_id: string;
    id: string;
    evaluations: string;
    created_at: number;
  };
  /** What must leave the process after the commit; claimed by state with a lease. */
  outbox: {
    id: string;
    organization_id: string;
    activity_id: string;
    topic: string;
    payload: string;
    state: string;
    attempts: number;
    /** Not to be tried before; while leased: when the lease ends. */
    due_at: number;
    created_at: number;
  };
  audit: {
    organization_id: string;
    id: string;
    activity_id: string;
    event: string;
    actor_organization_id: string;
    actor_user_id: string;
    credential_id: string;
    created_at: number;
  };
};

export type EngineName = 'sqlite' | 'postgres';

/** Used to write SQL, never to run it: the engines' thin drivers do that. */
export type Builder = Kysely<Schema>;
