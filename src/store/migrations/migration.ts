import type { Compilable } from 'kysely';
import type { Builder, EngineName } from '../schema.ts';

/** The portable column types. */
export type Columns = { text: 'text'; int: 'bigint'; flag: 'smallint'; bytes: 'blob' | 'bytea' };

export function columns(engine: EngineName): Columns {
  return { text: 'text', int: 'bigint', flag: 'smallint', bytes: engine === 'sqlite' ? 'blob' : 'bytea' };
}

/** One step, up only. A published migration never changes: add the next one. */
export type Migration = {
  version: number;
  name: string;
  up(db: Builder, column: Columns): readonly Compilable[];
};
