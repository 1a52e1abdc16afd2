import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const FEATURES = ['FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH'];

/** Switched on in top-level organizations that do not have them: a new one has them from its start. Nothing asked for them before. */
export const emailLogin: Migration = {
  version: 23,
  name: 'email login',
  up: (db) =>
    FEATURES.map((feature) => {
      const entry = `${JSON.stringify(feature)}:""`;
      return (
        db
          .updateTable('organizations')
          .set({
            features: sql<never>`CASE WHEN features = '{}' THEN ${sql.lit(`{${entry}}`)} ELSE ${sql.lit(`{${entry},`)} || substr(features, 2) END`,
            version: sql<number>`version + 1`,
          })
          .where('parent_id', 'is', null)
          // A quote inside a value has a backslash before it.
          .where(sql<boolean>`features NOT LIKE ${sql.lit(`%"${feature}":%`)}`)
      );
    }),
};
