import { bytes, flag, id, index, int, nullable, table, text, unique, where } from './define.ts';

export const people = [
  table(
    'users',
    {
      organization_id: id,
      id,
      parent_id: nullable(id),
      name: text,
      email: nullable(text),
      email_key: nullable(text),
      verified_email_key: nullable(text),
      email_verified: flag,
      phone: nullable(text),
      verified_phone: nullable(text),
      phone_verified: flag,
      access_type: text,
      mfa_policy_count: int,
      version: int,
      created_at: int,
      updated_at: int,
    },
    ['organization_id', 'id'],
    // A parent's search returns its sub-organizations in the order of their ids.
    index('users_below_by_name', 'parent_id', 'name', 'organization_id'),
    index('users_below_by_email_key', 'parent_id', 'email_key', 'organization_id'),
    index('users_below_by_phone', 'parent_id', 'phone', 'organization_id'),
    // Most users have no verified contact, and so no entry.
    where(
      'verified_email_key is not null',
      index('users_below_by_verified_email_key', 'parent_id', 'verified_email_key', 'organization_id'),
    ),
    where('verified_phone is not null', index('users_below_by_verified_phone', 'parent_id', 'verified_phone', 'organization_id')),
    where(
      'verified_email_key is not null or verified_phone is not null',
      index('users_below_verified', 'parent_id', 'organization_id'),
    ),
    // A login looks up the user with a contact in one organization, which may have thousands of users.
    where('email_key is not null', index('users_with_email_key', 'organization_id', 'email_key')),
    where('phone is not null', index('users_with_phone', 'organization_id', 'phone')),
    where('verified_email_key is not null', index('users_with_verified_email_key', 'organization_id', 'verified_email_key')),
    where('verified_phone is not null', index('users_with_verified_phone', 'organization_id', 'verified_phone')),
  ),
  table('user_versions', { organization_id: id, user_id: id, version: int, content: text }, [
    'organization_id',
    'user_id',
    'version',
  ]),
  table(
    'tags',
    { organization_id: id, id, kind: text, name: text, created_at: int, updated_at: int },
    ['organization_id', 'id'],
    unique('tags_name', 'organization_id', 'kind', 'name'),
  ),
  table(
    'tag_members',
    { organization_id: id, tag_id: id, member_id: id },
    ['organization_id', 'member_id', 'tag_id'],
    index('tag_members_by_tag_id_member_id', 'organization_id', 'tag_id', 'member_id'),
  ),
  table(
    'invitations',
    {
      organization_id: id,
      id,
      user_id: id,
      sender_user_id: id,
      user_name: text,
      email: text,
      tags: text,
      access_type: text,
      status: text,
      secret: nullable(bytes),
      expires_at: int,
      created_at: int,
      updated_at: int,
    },
    ['organization_id', 'id'],
    index('invitations_by_user_id', 'organization_id', 'user_id'),
  ),
];
