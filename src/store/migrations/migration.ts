import type { Compilable } from 'kysely';
import type { EngineName, SQL_TYPES } from '../columns.ts';
import type { Builder } from '../schema.ts';

export type Columns = (typeof SQL_TYPES)[EngineName];

/** One migration, up only, in one transaction. A published migration never changes: add a new one. */
export type Migration = {
  version: number;
  name: string;
  up(db: Builder, column: Columns, engine: EngineName): readonly Compilable[];
};
