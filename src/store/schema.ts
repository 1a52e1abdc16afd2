import type { Kysely } from 'kysely';
import type { RowOf } from './table.ts';
import type { tables } from './tables/index.ts';

type Tables = typeof tables;

/** The tables as queries see them: columns under their SQL names, values in the program's form. */
export type Schema = { [K in keyof Tables as Tables[K]['name']]: RowOf<Tables[K]> };

/** Builds SQL only; the engines' thin drivers run it. */
export type Builder = Kysely<Schema>;
