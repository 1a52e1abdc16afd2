import type { Compilable } from 'kysely';
import type { EngineName, SQL_TYPES } from '../columns.ts';
import type { Builder } from '../schema.ts';
import type { RebuiltTable } from './rebuild/table.ts';

/** The SQL types of one engine. */
export type Columns = (typeof SQL_TYPES)['sqlite' | 'postgres'];

/** A few statements, applied in one transaction. */
export type PlainMigration = {
  version: number;
  name: string;
  up(db: Builder, column: Columns, engine: EngineName): readonly Compilable[];
};

/** Copies tables into a new layout, in batches. All are copied before the first old one is dropped. */
export type Rebuild = {
  version: number;
  name: string;
  tables: readonly RebuiltTable[];
  /** Tables whose rows the new ones hold. */
  gone?: readonly string[];
};

/** One step, up only. A published migration never changes: add the next one. */
export type Migration = PlainMigration | Rebuild;

export const isRebuild = (migration: Migration): migration is Rebuild => 'tables' in migration;
