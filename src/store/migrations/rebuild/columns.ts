import type { EngineName, SQL_TYPES } from '../../columns.ts';

type SqlType = keyof (typeof SQL_TYPES)[EngineName];

/** SQL for both engines, or for each. */
export type Sql = string | { readonly [E in EngineName]: string };

export const sqlFor = (sql: Sql, engine: EngineName): string => (typeof sql === 'string' ? sql : sql[engine]);

/** How the text of an old column becomes the value of a new one. */
type Form = {
  /** For messages: what the text must be; unset if every text will do. */
  readonly must?: string;
  fits?(text: string): Sql;
  becomes(text: string): Sql;
};

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
const NIL = '00000000-0000-0000-0000-000000000000';

const FORMS = {
  same: { becomes: (value) => value },
  id: {
    must: 'a UUID in lower case',
    fits: (text) => ({
      sqlite: `(${text} GLOB '????????-????-????-????-????????????' AND ${text} NOT GLOB '*[^-0-9a-f]*' AND COALESCE(length(unhex(replace(${text}, '-', ''))), 0) = 16 AND ${text} <> '${NIL}')`,
      postgres: `(${text} ~ '${UUID}' AND ${text} <> '${NIL}')`,
    }),
    becomes: (text) => ({ sqlite: `unhex(replace(${text}, '-', ''))`, postgres: `(${text})::uuid` }),
  },
  digest: {
    must: 'sha256: and 64 hex digits in lower case',
    fits: (text) => ({
      sqlite: `(length(${text}) = 71 AND substr(${text}, 1, 7) = 'sha256:' AND substr(${text}, 8) NOT GLOB '*[^0-9a-f]*')`,
      postgres: `(${text} ~ '^sha256:[0-9a-f]{64}$')`,
    }),
    becomes: (text) => ({ sqlite: `unhex(substr(${text}, 8))`, postgres: `decode(substr(${text}, 8), 'hex')` }),
  },
  hex: {
    becomes: (text) => ({
      sqlite: `CASE WHEN ${text} NOT GLOB '*[^0-9a-f]*' AND length(${text}) % 2 = 0 AND substr(${text}, 1, 2) <> 'ff' THEN unhex(${text}) ELSE unhex('ff' || hex(${text})) END`,
      postgres: `CASE WHEN ${text} ~ '^([0-9a-f]{2})*$' AND substr(${text}, 1, 2) <> 'ff' THEN decode(${text}, 'hex') ELSE decode('ff', 'hex') || convert_to(${text}, 'UTF8') END`,
    }),
  },
} as const satisfies Record<string, Form>;

export type RebuiltColumn = {
  readonly type: SqlType;
  readonly form: keyof typeof FORMS;
  readonly nullable: boolean;
  /** Where the old value is, if not in the old row's column of the same name. `o` is the old row. */
  readonly from?: Sql;
};

const column = (type: SqlType, form: RebuiltColumn['form'] = 'same'): RebuiltColumn => ({ type, form, nullable: false });

/** The new columns. A published rebuild uses them, so that none ever changes. */
export const as = {
  id: column('id', 'id'),
  hex: column('bytes', 'hex'),
  digest: column('bytes', 'digest'),
  text: column('text'),
  int: column('int'),
  flag: column('flag'),
  bytes: column('bytes'),
} as const;

export const orNull = (given: RebuiltColumn): RebuiltColumn => ({ ...given, nullable: true });

/** A column whose old value is elsewhere. While a rebuild runs, the names of old tables begin with `old_`. */
export const from = (given: RebuiltColumn, sql: Sql): RebuiltColumn => ({ ...given, from: sql });

const oldText = (name: string, given: RebuiltColumn, engine: EngineName): string =>
  given.from === undefined ? `o."${name}"` : `(${sqlFor(given.from, engine)})`;

/** The value of a new column, in a query over the old rows. */
export function newValue(name: string, given: RebuiltColumn, engine: EngineName): string {
  return sqlFor(FORMS[given.form].becomes(oldText(name, given, engine)), engine);
}

/** The condition that an old text cannot become the new value; undefined if there is none such. */
export function faultIn(name: string, given: RebuiltColumn, engine: EngineName): { sql: string; must: string } | undefined {
  const { must, fits } = FORMS[given.form] as Form;
  if (must === undefined || fits === undefined || given.from !== undefined) return undefined;
  const text = oldText(name, given, engine);
  return { sql: `(${text} IS NOT NULL AND NOT ${sqlFor(fits(text), engine)})`, must };
}
