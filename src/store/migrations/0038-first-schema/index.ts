import { sql } from 'kysely';
import type { Migration } from '../migration.ts';
import { activities } from './activities.ts';
import { archived } from './archived.ts';
import { credentials } from './credentials.ts';
import { gas } from './gas.ts';
import { instance } from './instance.ts';
import { keys } from './keys.ts';
import { login } from './login.ts';
import { messages } from './messages.ts';
import { organizations } from './organizations.ts';
import { people } from './people.ts';
import { policies } from './policies.ts';
import { sends } from './sends.ts';

const definitions = [
  ...instance,
  ...organizations,
  ...people,
  ...credentials,
  ...login,
  ...keys,
  ...policies,
  ...activities,
  ...messages,
  ...sends,
  ...gas,
  ...archived,
];

/** The schema of 0.2.0. Its number is higher than those of earlier development versions, whose databases are refused. */
export const firstSchema: Migration = {
  version: 38,
  name: 'first schema',
  up: (db, _types, engine) =>
    definitions.flatMap((statements) => statements(engine)).map((text) => ({ compile: () => sql.raw(text).compile(db) })),
};
