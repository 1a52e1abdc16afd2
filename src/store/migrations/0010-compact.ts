import type { Rebuild } from './migration.ts';
import { as, from, orNull } from './rebuild/columns.ts';
import { index, type RebuiltTable, unique } from './rebuild/table.ts';

const times = { created_at: as.int, updated_at: as.int };
const own = { organization_id: as.id, id: as.id };
const ownKey = ['organization_id', 'id'] as const;

const facts: RebuiltTable[] = [
  {
    name: 'organizations',
    oldKey: ['id'],
    columns: {
      id: as.id,
      parent_id: orNull(as.id),
      name: as.text,
      version: as.int,
      policies_version: as.int,
      root_quorum: as.text,
      features: as.text,
      ...times,
      user_count: as.int,
      wallet_count: as.int,
      wallet_account_count: as.int,
      private_key_count: as.int,
      tag_count: as.int,
      policy_count: as.int,
      policy_characters: as.int,
      contract_interface_characters: as.int,
    },
    indexes: [index('organizations_by_id', 'parent_id', 'id'), index('organizations_by_name_id', 'parent_id', 'name', 'id')],
  },
  {
    name: 'users',
    oldKey: ownKey,
    columns: {
      ...own,
      parent_id: orNull(as.id),
      name: as.text,
      email: orNull(as.text),
      email_key: orNull(as.text),
      phone: orNull(as.text),
      version: as.int,
      ...times,
    },
    indexes: [
      index('users_below_by_name', 'parent_id', 'name', 'organization_id'),
      index('users_below_by_email_key', 'parent_id', 'email_key', 'organization_id'),
      index('users_below_by_phone', 'parent_id', 'phone', 'organization_id'),
    ],
  },
  {
    name: 'user_versions',
    oldKey: ['organization_id', 'user_id', 'version'],
    columns: { organization_id: as.id, user_id: as.id, version: as.int, content: as.text },
    indexes: [],
    forever: true,
  },
  {
    name: 'credentials',
    oldKey: ownKey,
    columns: {
      ...own,
      parent_id: orNull(as.id),
      user_id: as.id,
      type: as.text,
      name: as.text,
      public_key: as.hex,
      expires_at: orNull(as.int),
      expiration_seconds: orNull(as.int),
      ...times,
    },
    indexes: [
      unique('credentials_public_key', 'organization_id', 'public_key'),
      index('credentials_by_user_id_id', 'organization_id', 'user_id', 'id'),
      index('credentials_below_by_public_key', 'parent_id', 'public_key', 'organization_id'),
    ],
  },
  {
    name: 'tags',
    oldKey: ownKey,
    columns: { ...own, kind: as.text, name: as.text, ...times },
    indexes: [unique('tags_name', 'organization_id', 'kind', 'name')],
  },
  {
    name: 'tag_members',
    oldKey: ['organization_id', 'member_id', 'tag_id'],
    columns: { organization_id: as.id, tag_id: as.id, member_id: as.id },
    indexes: [index('tag_members_by_tag_id_member_id', 'organization_id', 'tag_id', 'member_id')],
  },
  {
    name: 'policies',
    oldKey: ownKey,
    columns: {
      ...own,
      name: as.text,
      effect: as.text,
      condition: as.text,
      consensus: as.text,
      time: as.text,
      notes: as.text,
      ...times,
    },
    indexes: [unique('policies_name', 'organization_id', 'name')],
  },
  {
    name: 'policy_changes',
    oldKey: ['organization_id', 'version', 'policy_id'],
    columns: { organization_id: as.id, version: as.int, policy_id: as.id },
    indexes: [],
  },
  {
    name: 'contract_interfaces',
    oldKey: ownKey,
    heavy: 'interface',
    columns: { ...own, address: as.text, type: as.text, label: as.text, notes: as.text, interface: as.text, ...times },
    indexes: [
      unique('contract_interfaces_label', 'organization_id', 'label'),
      index('contract_interfaces_by_address', 'organization_id', 'address', 'type'),
    ],
  },
];

const keys: RebuiltTable[] = [
  {
    name: 'wallets',
    oldKey: ownKey,
    columns: { ...own, name: as.text, exported: as.flag, imported: as.flag, ...times },
    indexes: [unique('wallets_name', 'organization_id', 'name')],
  },
  {
    name: 'wallet_accounts',
    oldKey: ownKey,
    columns: {
      ...own,
      wallet_id: as.id,
      curve: as.text,
      path: as.text,
      address_format: as.text,
      address: as.text,
      public_key: as.hex,
      name: orNull(as.text),
      exported: as.flag,
      ...times,
    },
    indexes: [
      unique('wallet_accounts_path', 'organization_id', 'wallet_id', 'path', 'curve', 'address_format'),
      unique('wallet_accounts_name', 'organization_id', 'name'),
      index('wallet_accounts_by_wallet_id_id', 'organization_id', 'wallet_id', 'id'),
      index('wallet_accounts_by_address', 'organization_id', 'wallet_id', 'address'),
    ],
  },
  {
    name: 'private_keys',
    oldKey: ownKey,
    columns: { ...own, name: as.text, curve: as.text, public_key: as.hex, exported: as.flag, imported: as.flag, ...times },
    indexes: [unique('private_keys_name', 'organization_id', 'name')],
  },
  {
    name: 'signers',
    oldKey: ['organization_id', 'address', 'key_id', 'format'],
    columns: {
      organization_id: as.id,
      parent_id: orNull(as.id),
      address: as.text,
      format: as.text,
      key_id: as.id,
      wallet_id: orNull(as.id),
      curve: as.text,
      disabled: as.flag,
      position: as.int,
    },
    indexes: [
      index('signers_by_key_id', 'organization_id', 'key_id'),
      index('signers_below_by_address', 'parent_id', 'address', 'organization_id'),
    ],
  },
  {
    name: 'secrets',
    oldKey: ['organization_id', 'id', 'purpose'],
    columns: { ...own, purpose: as.text, sealed: as.bytes },
    indexes: [],
  },
  {
    name: 'import_targets',
    oldKey: ['organization_id', 'user_id', 'kind'],
    columns: {
      organization_id: as.id,
      user_id: as.id,
      kind: as.text,
      id: as.id,
      public_key: as.hex,
      sealed: as.bytes,
      created_at: as.int,
    },
    indexes: [],
  },
];

/** The submitter's vote of an activity is its first. Before positions were kept, all votes had 0, and ids tell which it is. */
const isEarlier = (vote: string) =>
  `earlier.organization_id = ${vote}.organization_id AND earlier.activity_id = ${vote}.activity_id AND earlier.position = 0 AND earlier.id < ${vote}.id`;
const firstVote = (activity: string) =>
  `old_votes v ON v.organization_id = ${activity}.organization_id AND v.activity_id = ${activity}.id AND v.position = 0
   AND NOT EXISTS (SELECT 1 FROM old_votes earlier WHERE ${isEarlier('v')})`;
const evaluated = (vote: string) =>
  `LEFT JOIN old_evaluations e ON e.organization_id = ${vote}.organization_id AND e.activity_id = ${vote}.activity_id AND e.vote_id = ${vote}.id`;
const evaluations = from(
  orNull(as.text),
  `CASE WHEN e.id IS NULL THEN NULL ELSE '{"id":"' || e.id || '","evaluations":' || e.evaluations || '}' END`,
);

/** Keeps the order of writing on SQLite: an activity stands before the audit rows about it. Later positions are above these. */
const position = (among: 0 | 1) => ({ position: { sqlite: `2 * o.rowid + ${among}`, postgres: '0' } });

const record: RebuiltTable[] = [
  {
    name: 'activities',
    oldKey: ownKey,
    join: `LEFT JOIN ${firstVote('o')} ${evaluated('v')}`,
    numbered: position(0),
    heavy: 'body',
    forever: true,
    columns: {
      ...own,
      fingerprint: as.digest,
      type: as.text,
      status: as.text,
      version: as.int,
      ...times,
      facts_version: from(as.int, '0'),
      facts_after: from(orNull(as.int), 'NULL'),
      vote_id: from(as.id, 'v.id'),
      user_id: from(as.id, 'v.user_id'),
      user_version: from(as.int, 'v.user_version'),
      credential_id: from(as.id, 'v.credential_id'),
      scheme: from(as.text, 'v.scheme'),
      public_key: from(as.hex, 'v.public_key'),
      signature: from(as.hex, 'v.signature'),
      result: as.text,
      failure: as.text,
      evaluations,
      body: as.bytes,
    },
    indexes: [
      unique('activities_fingerprint', 'organization_id', 'fingerprint'),
      index('activities_by_status_type_id', 'organization_id', 'status', 'type', 'id'),
    ],
  },
  {
    // The votes after the submitter's. Those without a position were cast in the order of their ids.
    name: 'votes',
    oldKey: ['organization_id', 'activity_id', 'id'],
    // A user votes once at each version of an activity.
    key: ['organization_id', 'activity_id', 'user_id', 'position'],
    join: evaluated('o'),
    where: `o.position > 0 OR EXISTS (SELECT 1 FROM old_votes earlier WHERE ${isEarlier('o')})`,
    forever: true,
    columns: {
      organization_id: as.id,
      activity_id: as.id,
      id: as.id,
      user_id: as.id,
      user_version: as.int,
      position: from(
        as.int,
        `CASE WHEN o.position > 0 THEN o.position ELSE (SELECT COUNT(*) FROM old_votes earlier WHERE ${isEarlier('o')}) END`,
      ),
      credential_id: as.id,
      selection: as.text,
      scheme: as.text,
      public_key: as.hex,
      signature: as.hex,
      created_at: as.int,
      evaluations,
      message: orNull(as.bytes),
    },
    indexes: [],
  },
  {
    // Without what an activity's own row says: what the submitter's request came to at once.
    name: 'audit',
    oldKey: ownKey,
    where: `o.event NOT IN ('activity.completed', 'activity.failed', 'activity.consensus_needed', 'activity.updated')
      OR NOT EXISTS (SELECT 1 FROM old_activities a JOIN ${firstVote('a')}
        WHERE a.organization_id = o.organization_id AND a.id = o.activity_id AND a.created_at = o.created_at AND v.user_id = o.actor_user_id)`,
    numbered: position(1),
    forever: true,
    columns: {
      ...own,
      activity_id: as.id,
      event: as.text,
      actor_organization_id: as.id,
      actor_user_id: as.id,
      credential_id: as.id,
      created_at: as.int,
    },
    indexes: [],
  },
  {
    name: 'outbox',
    oldKey: ['id'],
    columns: {
      id: as.text,
      organization_id: as.id,
      activity_id: as.id,
      topic: as.text,
      payload: as.text,
      state: as.text,
      attempts: as.int,
      due_at: as.int,
      created_at: as.int,
    },
    indexes: [index('outbox_by_due_at_id', 'state', 'due_at', 'id'), index('outbox_by_id', 'activity_id', 'id')],
  },
];

/**
 * Ids in 16 bytes; public keys, signatures and fingerprints as bytes. The submitter's stamp and what policies came to are columns of the
 * activity.
 */
export const compact: Rebuild = {
  version: 10,
  name: 'compact',
  tables: [...facts, ...keys, ...record],
  gone: ['evaluations'],
};
