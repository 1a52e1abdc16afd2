import type { Rebuild } from './migration.ts';
import { as, orNull } from './rebuild/columns.ts';
import { index, type RebuiltTable, unique } from './rebuild/table.ts';

const times = { created_at: as.int, updated_at: as.int };
const own = { organization_id: as.id, id: as.id };
const ownKey = ['organization_id', 'id'] as const;

const facts: RebuiltTable[] = [
  {
    name: 'organizations',
    key: ['id'],
    columns: {
      id: as.id,
      parent_id: orNull(as.id),
      name: as.text,
      version: as.int,
      root_quorum: as.text,
      features: as.text,
      ...times,
    },
    indexes: [index('organizations_by_id', 'parent_id', 'id'), index('organizations_by_name_id', 'parent_id', 'name', 'id')],
  },
  {
    name: 'users',
    key: ownKey,
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
      index('users_by_name', 'parent_id', 'name'),
      index('users_by_email_key', 'parent_id', 'email_key'),
      index('users_by_phone', 'parent_id', 'phone'),
    ],
  },
  {
    name: 'user_versions',
    key: ['organization_id', 'user_id', 'version'],
    columns: { organization_id: as.id, user_id: as.id, version: as.int, content: as.text },
    indexes: [],
    forever: true,
  },
  {
    name: 'credentials',
    key: ownKey,
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
      index('credentials_by_public_key', 'parent_id', 'public_key'),
    ],
  },
  {
    name: 'tags',
    key: ownKey,
    columns: { ...own, kind: as.text, name: as.text, ...times },
    indexes: [unique('tags_name', 'organization_id', 'kind', 'name')],
  },
  {
    name: 'tag_members',
    key: ['organization_id', 'member_id', 'tag_id'],
    columns: { organization_id: as.id, tag_id: as.id, member_id: as.id },
    indexes: [index('tag_members_by_tag_id_member_id', 'organization_id', 'tag_id', 'member_id')],
  },
  {
    name: 'policies',
    key: ownKey,
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
    name: 'contract_interfaces',
    key: ownKey,
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
    key: ownKey,
    columns: { ...own, name: as.text, exported: as.flag, imported: as.flag, accounts: as.int, ...times },
    indexes: [unique('wallets_name', 'organization_id', 'name')],
  },
  {
    name: 'wallet_accounts',
    key: ownKey,
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
    key: ownKey,
    columns: { ...own, name: as.text, curve: as.text, public_key: as.hex, exported: as.flag, imported: as.flag, ...times },
    indexes: [unique('private_keys_name', 'organization_id', 'name')],
  },
  {
    name: 'signers',
    key: ['organization_id', 'address', 'key_id', 'format'],
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
    indexes: [index('signers_by_key_id', 'organization_id', 'key_id'), index('signers_by_address', 'parent_id', 'address')],
  },
  {
    name: 'secrets',
    key: ['organization_id', 'id', 'purpose'],
    columns: { ...own, purpose: as.text, sealed: as.bytes },
    indexes: [],
  },
  {
    name: 'import_targets',
    key: ['organization_id', 'user_id', 'kind'],
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

const ofActivity = { organization_id: as.id, activity_id: as.id, id: as.id };

const record: RebuiltTable[] = [
  {
    name: 'activities',
    key: ownKey,
    heavy: 'body',
    forever: true,
    columns: {
      ...own,
      fingerprint: as.digest,
      type: as.text,
      status: as.text,
      body: as.bytes,
      result: as.text,
      failure: as.text,
      version: as.int,
      ...times,
    },
    indexes: [
      unique('activities_fingerprint', 'organization_id', 'fingerprint'),
      index('activities_by_status_id', 'organization_id', 'status', 'id'),
      index('activities_by_type_id', 'organization_id', 'type', 'id'),
    ],
  },
  {
    name: 'votes',
    key: ['organization_id', 'activity_id', 'id'],
    forever: true,
    columns: {
      ...ofActivity,
      user_id: as.id,
      credential_id: as.id,
      selection: as.text,
      scheme: as.text,
      public_key: as.hex,
      signature: as.hex,
      message: orNull(as.bytes),
      created_at: as.int,
      user_version: as.int,
      position: as.int,
    },
    indexes: [],
  },
  {
    name: 'evaluations',
    key: ['organization_id', 'activity_id', 'vote_id'],
    forever: true,
    columns: { ...ofActivity, vote_id: as.id, evaluations: as.text, created_at: as.int },
    indexes: [],
  },
  {
    name: 'audit',
    key: ownKey,
    forever: true,
    columns: {
      ...ofActivity,
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
    key: ['id'],
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

/** Ids in 16 bytes; public keys, signatures and fingerprints as bytes. */
export const compact: Rebuild = { version: 9, name: 'compact', tables: [...facts, ...keys, ...record] };
