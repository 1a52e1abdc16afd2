import type { Compilable } from 'kysely';
import { builders } from './builders.ts';
import { byColumn, Parameter, selected } from './by-column.ts';
import type { Column, EngineName, Holds, ValueOf } from './columns.ts';
import { Placeholder, placeholdersOf } from './placeholder.ts';
import type { Builder } from './schema.ts';
import { versionIn } from './sealed/sealed-format.ts';

type MaybePromise<T> = T | Promise<T>;

/** One connection, or one transaction, of either engine. */
export type Conn = {
  readonly engine: EngineName;
  all(sql: string, parameters: readonly unknown[]): MaybePromise<unknown[]>;
  /** Runs a statement that returns no rows; returns the number of changed rows. */
  run(sql: string, parameters: readonly unknown[]): MaybePromise<number>;
  /** Reads archived rows. Undefined if the archive is not here. */
  readonly archive?: Conn | undefined;
  /** On SQLite's writer: the position of the next activity or audit row. */
  nextPosition?(): number;
  /** In a transaction: receives the version of the master key of each sealed secret and keyed hash that is written. */
  noteSealed?(version: number): void;
  /** For tests: receives the arguments of a dynamic statement. */
  asked?(statement: Registered, args: object): void;
};

/** A declared statement, for the test that checks its query plan. */
export type Registered = {
  /** Absent: the statement is for both engines. */
  readonly only?: EngineName | undefined;
  /** The optional members of the arguments, if the SQL text depends on which of them are given. */
  readonly optional?: readonly string[];
  sql?(engine: EngineName): string;
  readonly source: string;
};

export const statements: Registered[] = [];

const plugin = {
  transformQuery: ({ node }: { node: Parameters<typeof byColumn>[0] }) => byColumn(node),
  transformResult: async <T extends { result: unknown }>({ result }: T): Promise<T['result']> => result,
};

const typed: Record<EngineName, Builder> = {
  sqlite: builders.sqlite.withPlugin(plugin),
  postgres: builders.postgres.withPlugin(plugin),
};

type Read = (stored: unknown) => unknown;
type Row = Record<string, unknown>;
type Bound = { at: number; key: string; of: Read | undefined; write: Read | undefined; holds: Holds | undefined };
type Compiled = { sql: string; bind(args: unknown, conn: Conn): unknown[]; model(row: unknown): unknown };

function note(conn: Conn, holds: Holds, value: unknown): void {
  const version = conn.noteSealed && versionIn(holds, value);
  if (version !== undefined) conn.noteSealed?.(version);
}

/** Converts the members of a row whose stored form differs from the program's. */
function modelOf(reads: readonly (readonly [string, Read])[]): (row: unknown) => unknown {
  return (row) => {
    const model = { ...(row as Row) };
    for (const [name, read] of reads) model[name] = read(model[name]);
    return model;
  };
}

function compile(query: Compilable<unknown>, engine: EngineName): Compiled {
  const { sql, parameters, query: root } = query.compile();
  const fixed: unknown[] = [];
  const bound: Bound[] = [];
  for (const parameter of parameters) {
    if (!(parameter instanceof Parameter)) throw new Error(`a parameter is beside no column: ${sql}`);
    const { value, column, use } = parameter;
    const form = column?.[engine];
    const write = use === 'seek' ? (form?.seek ?? form?.write) : form?.write;
    if (value instanceof Placeholder) {
      const holds = use === 'seek' ? undefined : column?.holds;
      bound.push({ at: fixed.length, key: value.key, of: value.of as Bound['of'], write, holds });
    }
    fixed.push(value instanceof Placeholder || write === undefined ? value : write(value));
  }
  const reads = [...selected(root)].flatMap(([name, column]) => {
    const { read } = column[engine];
    return read === undefined ? [] : [[name, read] as const];
  });
  return {
    sql,
    model: modelOf(reads),
    bind(args, conn) {
      const values = fixed.slice();
      for (const { at, key, of, write, holds } of bound) {
        const value = (of === undefined ? (args as Row)[key] : of(args)) ?? null;
        values[at] = write === undefined ? value : write(value);
        if (holds !== undefined) note(conn, holds, values[at]);
      }
      return values;
    },
  };
}

export type Statement<P, R> = {
  all(conn: Conn, args: P): Promise<R[]>;
  first(conn: Conn, args: P): Promise<R | undefined>;
  /** Returns the number of changed rows. */
  run(conn: Conn, args: P): Promise<number>;
  /** Like `run` and `first`, but without a promise if the engine needs none. For the durable write of the hot path. */
  runNow(conn: Conn, args: P): MaybePromise<number>;
  firstNow(conn: Conn, args: P): R | undefined;
};

/**
 * A query that is written once, compiled once for each engine, and run with named parameters: `statement((db, p: { id: string }) =>
 * db.selectFrom('users').select(users.all).where('id', '=', p.id))`. At compile time the members of `p` are placeholders, so `build`
 * must not branch on them. A parameter is converted to the stored form of the column that it is compared with or written to.
 */
export function statement<P extends object, R>(build: (db: Builder, p: P) => Compilable<R>, only?: EngineName): Statement<P, R> {
  const cache: Partial<Record<EngineName, Compiled>> = {};
  const compiled = (engine: EngineName): Compiled => {
    cache[engine] ??= compile(build(typed[engine], placeholdersOf<P>()), engine);
    return cache[engine];
  };
  statements.push({ only, sql: (engine) => compiled(engine).sql, source: String(build) });
  return {
    async all(conn, args) {
      const { sql, bind, model } = compiled(conn.engine);
      return (await conn.all(sql, bind(args, conn))).map(model) as R[];
    },
    async first(conn, args) {
      const { sql, bind, model } = compiled(conn.engine);
      const row = (await conn.all(sql, bind(args, conn)))[0];
      return row === undefined ? undefined : (model(row) as R);
    },
    async run(conn, args) {
      const { sql, bind } = compiled(conn.engine);
      return conn.run(sql, bind(args, conn));
    },
    runNow(conn, args) {
      const { sql, bind } = compiled(conn.engine);
      return conn.run(sql, bind(args, conn));
    },
    firstNow(conn, args) {
      const { sql, bind, model } = compiled(conn.engine);
      const row = (conn.all(sql, bind(args, conn)) as unknown[])[0];
      return row === undefined ? undefined : (model(row) as R);
    },
  };
}

type Optional<P> = { [K in keyof P as undefined extends P[K] ? K : never]-?: true };

export type Dynamic<P, R> = { all(conn: Conn, args: P): Promise<R[]> };

/** The shape of the arguments: which members are given, and the number of values in each list. The SQL text depends on nothing else. */
const shapeOf = (args: Row): string =>
  Object.entries(args)
    .map(([key, value]) => (Array.isArray(value) ? `${key}*${value.length}` : value === undefined ? '' : key))
    .join(' ');

/** The given members of the arguments as slots, and a slot for each value of a list. */
function slotsLike<P extends object>(args: P): P {
  const slots = Object.entries(args).map(([key, value]) => {
    if (value === undefined) return [key, undefined];
    if (!Array.isArray(value)) return [key, new Placeholder(key)];
    return [
      key,
      value.map((_, index) => new Placeholder(key, (later: never) => (later as Record<string, unknown[]>)[key]![index])),
    ];
  });
  return Object.fromEntries(slots) as P;
}

/**
 * For queries whose text depends on which arguments are given, and on the lengths of lists. The query is compiled once for each such
 * shape, so lists have few lengths (`src/store/lists.ts`). `build` must not branch on values. `optional` names the optional members.
 */
export function dynamic<P extends object, R>(
  optional: Optional<P>,
  build: (db: Builder, p: P, engine: EngineName) => Compilable<R>,
): Dynamic<P, R> {
  const registered: Registered = { optional: Object.keys(optional), source: String(build) };
  statements.push(registered);
  const cache: Record<EngineName, Map<string, Compiled>> = { sqlite: new Map(), postgres: new Map() };
  const compiled = (engine: EngineName, args: P): Compiled => {
    const shape = shapeOf(args as Row);
    let found = cache[engine].get(shape);
    if (found === undefined) {
      found = compile(build(typed[engine], slotsLike(args), engine), engine);
      cache[engine].set(shape, found);
    }
    return found;
  };
  return {
    async all(conn, args) {
      conn.asked?.(registered, args);
      const { sql, bind, model } = compiled(conn.engine, args);
      return (await conn.all(sql, bind(args, conn))).map(model) as R[];
    },
  };
}

type Given<C extends readonly Column<unknown>[]> = { readonly [I in keyof C]: ValueOf<C[I]> };

export type Written<A, R> = {
  all(conn: Conn, args: A): Promise<R[]>;
  /** Returns the number of changed rows. */
  run(conn: Conn, args: A): Promise<number>;
  /** SQLite: the same without a promise. For the durable write of the hot path. */
  allNow(conn: Conn, args: A): readonly R[];
  runNow(conn: Conn, args: A): number;
};

/** SQL text of one engine, with its parameters' columns in order. Rows are returned as stored. */
export function written<R>(only: EngineName) {
  return <const C extends readonly Column<unknown>[]>(sql: string, ...columns: C): Written<Given<C>, R> => {
    const writes = columns.map((column) => column[only].write);
    statements.push({ only, sql: () => sql, source: sql });
    const stored = (args: readonly unknown[], conn: Conn) =>
      args.map((value, i) => {
        const made = writes[i]?.(value) ?? value;
        const holds = columns[i]?.holds;
        if (holds !== undefined) note(conn, holds, made);
        return made;
      });
    return {
      all: async (conn, args) => (await conn.all(sql, stored(args as readonly unknown[], conn))) as R[],
      run: async (conn, args) => conn.run(sql, stored(args as readonly unknown[], conn)),
      allNow: (conn, args) => conn.all(sql, stored(args as readonly unknown[], conn)) as R[],
      runNow: (conn, args) => conn.run(sql, stored(args as readonly unknown[], conn)) as number,
    };
  };
}
