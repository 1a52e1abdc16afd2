import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Builder, EngineName } from './schema.ts';

type MaybePromise<T> = T | Promise<T>;

/** One connection, or one transaction, of either engine. */
export type Conn = {
  readonly engine: EngineName;
  all(sql: string, parameters: readonly unknown[]): MaybePromise<unknown[]>;
  /** Runs a statement that returns no rows; answers how many rows it changed. */
  run(sql: string, parameters: readonly unknown[]): MaybePromise<number>;
};

export const builders: Record<EngineName, Builder> = {
  sqlite: new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};

/** Stands for a parameter while a statement is compiled. */
class Slot {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }
}

type Compiled = { sql: string; bind(args: Record<string, unknown>): unknown[] };

function compile(query: Compilable<unknown>): Compiled {
  const { sql, parameters } = query.compile();
  const fixed = [...parameters];
  const slots: [number, string][] = [];
  for (const [i, value] of fixed.entries()) if (value instanceof Slot) slots.push([i, value.key]);
  return {
    sql,
    bind(args) {
      const values = fixed.slice();
      for (const [i, key] of slots) {
        const value = args[key];
        values[i] = value === undefined ? null : value;
      }
      return values;
    },
  };
}

export type Statement<P, R> = {
  all(conn: Conn, args: P): Promise<R[]>;
  first(conn: Conn, args: P): Promise<R | undefined>;
  /** How many rows it changed. */
  run(conn: Conn, args: P): Promise<number>;
  /** The same, without a promise where the engine needs none: for the durable write of the hot path. */
  runNow(conn: Conn, args: P): MaybePromise<number>;
  sql(engine: EngineName): string;
};

/**
 * A query that is written once, compiled once for each engine, and run with named parameters:
 * `statement((db, p: { id: string }) => db.selectFrom('users').selectAll().where('id', '=', p.id))`.
 * While it is compiled the members of `p` are markers, so it must not branch on them.
 */
export function statement<P extends object, R>(build: (db: Builder, p: P) => Compilable<R>): Statement<P, R> {
  const cache: Partial<Record<EngineName, Compiled>> = {};
  const slots = new Proxy({}, { get: (_, key) => new Slot(String(key)) }) as P;
  const compiled = (engine: EngineName): Compiled => {
    cache[engine] ??= compile(build(builders[engine], slots));
    return cache[engine];
  };
  const bound = (conn: Conn, args: P) => {
    const { sql, bind } = compiled(conn.engine);
    return [sql, bind(args as Record<string, unknown>)] as const;
  };
  return {
    all: async (conn, args) => (await conn.all(...bound(conn, args))) as R[],
    first: async (conn, args) => (await conn.all(...bound(conn, args)))[0] as R | undefined,
    run: async (conn, args) => conn.run(...bound(conn, args)),
    runNow: (conn, args) => conn.run(...bound(conn, args)),
    sql: (engine) => compiled(engine).sql,
  };
}

/** For the few queries whose shape depends on what was asked: compiled at each call. */
export async function dynamic<R>(conn: Conn, build: (db: Builder) => Compilable<R>): Promise<R[]> {
  const { sql, parameters } = build(builders[conn.engine]).compile();
  return (await conn.all(sql, parameters)) as R[];
}
