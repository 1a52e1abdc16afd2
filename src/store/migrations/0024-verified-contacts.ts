import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const CONTACTS = ['email_key', 'verified_email_key', 'phone', 'verified_phone'] as const;

/** Logins look up who has a contact in one organization, which may have thousands of users. A parent lists the sub-organizations with a verified contact. Most users have none, and no entry. */
export const verifiedContacts: Migration = {
  version: 24,
  name: 'verified-contacts',
  up: (db) => [
    ...CONTACTS.map((contact) =>
      db.schema
        .createIndex(`users_with_${contact}`)
        .on('users')
        .columns(['organization_id', contact])
        .where(contact, 'is not', null),
    ),
    db.schema
      .createIndex('users_below_verified')
      .on('users')
      .columns(['parent_id', 'organization_id'])
      .where(sql<boolean>`verified_email_key is not null or verified_phone is not null`),
  ],
};
