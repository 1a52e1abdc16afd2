import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** A parent lists the sub-organizations with a verified contact. Most users have none, and no entry. */
export const verifiedContacts: Migration = {
  version: 24,
  name: 'verified-contacts',
  up: (db) => [
    db.schema
      .createIndex('users_below_verified')
      .on('users')
      .columns(['parent_id', 'organization_id'])
      .where(sql<boolean>`verified_email_key is not null or verified_phone is not null`),
  ],
};
