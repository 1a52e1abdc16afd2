import type { Kysely } from 'kysely';
import type { RowOf } from './table.ts';
import type { tables } from './tables/index.ts';

type Tables = typeof tables;

/** The tables as queries see them: columns under their own names, values as the program has them. */
export type Schema = { [K in keyof Tables as Tables[K]['name']]: RowOf<Tables[K]> };

/** Used to write SQL, never to run it: the engines' thin drivers do that. */
export type Builder = Kysely<Schema>;
