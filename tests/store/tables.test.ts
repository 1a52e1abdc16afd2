import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { User } from '../../src/model/user.ts';
import { MOVED } from '../../src/store/archive/columns.ts';
import {
  bytes,
  type Column,
  digest,
  type EngineName,
  flag,
  hex,
  id,
  int,
  json,
  jsonOrEmpty,
  list,
  nullable,
  text,
} from '../../src/store/columns.ts';
import { idBytes } from '../../src/store/compact.ts';
import { arrayWriter } from '../../src/store/postgres-array.ts';
import { type Conn, dynamic, type Statement, statement, statements, written } from '../../src/store/statement.ts';
import { type AnyTable, readerOf, selection, stored, values } from '../../src/store/table.ts';
import { tables } from '../../src/store/tables/index.ts';
import { users } from '../../src/store/tables/users.ts';
import { wallets } from '../../src/store/tables/wallets.ts';
import { engineName } from '../support/database.ts';
import fc from '../support/properties.ts';
import { digestOf, fill, idOf, NOW, openMigrated, userOf } from './fixture.ts';

const ENGINES: readonly EngineName[] = ['sqlite', 'postgres'];

/** The columns of a table as the database has them: name, type, and whether they may be null. */
const COLUMNS_OF = {
  sqlite: `SELECT name, lower(type) AS type, CASE WHEN "notnull" = 1 OR pk > 0 THEN 'NO' ELSE 'YES' END AS nullable FROM pragma_table_info($1)`,
  postgres: `SELECT column_name AS name, data_type AS type, is_nullable AS nullable
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
};
const TABLES = {
  sqlite: `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
  postgres: `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
};

/** On SQLite in a file of their own: tests/store/archive.test.ts. */
const IN_ARCHIVE = new Set(MOVED.map(({ to }): string => to.name));

test(`src/store/tables describes what the migrations make on ${engineName}`, async () => {
  const opened = await openMigrated();
  try {
    const names = (await opened.raw(TABLES[engineName])).map(({ name }) => name);
    const described = Object.values<AnyTable>(tables).filter(({ name }) => engineName === 'postgres' || !IN_ARCHIVE.has(name));
    assert.deepEqual(names.sort(), described.map(({ name }) => name).sort());
    for (const table of described) {
      const made = await opened.raw(COLUMNS_OF[engineName], table.name);
      const one = (name: unknown, type: unknown, isNullable: boolean) => `${name} ${type}${isNullable ? '' : ' not null'}`;
      assert.deepEqual(
        stored(table)
          .map(({ name, column }) => one(name, column[engineName].type, column.nullable === true))
          .sort(),
        made.map(({ name, type, nullable }) => one(name, type, nullable === 'YES')).sort(),
        table.name,
      );
    }
  } finally {
    await opened.close();
  }
});

const hexOf = (min: number, max: number) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => Buffer.from(bytes).toString('hex'));

const ids = fc.oneof(
  fc.uuid(),
  fc.uuid({ version: 7 }),
  fc.constantFrom('00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
);
const digests = hexOf(32, 32).map((text) => `sha256:${text}`);

/** Hex in all its forms, what is nearly hex, and what is none. */
const texts = fc.oneof(
  hexOf(0, 80),
  hexOf(0, 80).map((text) => `ff${text}`),
  hexOf(0, 80).map((text) => text.toUpperCase()),
  hexOf(1, 80).map((text) => text.slice(1)),
  hexOf(1, 80).map((text) => `0x${text}`),
  hexOf(1, 10).map((text) => `${text}\u0000`),
  fc.base64String(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', 'f', 'ff', 'FF', 'fF', ' ff', 'ff ', 'é', 'ÿ'),
);

function inverse<T>(name: string, column: Column<T>, arbitrary: fc.Arbitrary<T>): void {
  test(`${name}: what is written is read again`, () => {
    for (const engine of ENGINES) {
      const { write = (value: unknown) => value, read = (value: unknown) => value } = column[engine];
      fc.assert(fc.property(arbitrary, (value) => assert.deepEqual(read(write(value)), value)));
    }
  });
}

const failures = fc.record({ code: fc.integer(), message: fc.string() }, { noNullPrototype: true });
inverse('text', text(), fc.string());
inverse('id', id(), ids);
inverse('nullable id', nullable(id()), fc.option(ids));
inverse('hex', hex(), texts);
inverse('digest', digest(), digests);
inverse('int', int(), fc.maxSafeNat());
inverse('flag', flag(), fc.boolean());
inverse('bytes', bytes(), fc.uint8Array().map(Buffer.from));
inverse('json', json(), failures);
inverse('jsonOrEmpty', jsonOrEmpty<{ code: number; message: string }>(), fc.option(failures));
inverse('nullable flag', nullable(flag()), fc.option(fc.boolean()));
inverse('nullable json', nullable(json<{ code: number; message: string }>()), fc.option(failures));

test('an empty object is stored as JSON, and no failure as an empty text', () => {
  assert.equal(json().sqlite.write!({}), '{}');
  assert.equal(jsonOrEmpty().postgres.write!(null), '');
});

/** The SQL and parameters that a statement sends to the database, and its result for a row. */
async function sent<P, R>(tested: Pick<Statement<P, R>, 'all'>, args: P, row: object = {}, engine: EngineName = 'sqlite') {
  let asked: { sql: string; parameters: readonly unknown[] } | undefined;
  const conn: Conn = {
    engine,
    all(text, parameters) {
      asked = { sql: text, parameters };
      return [row];
    },
    run: () => 0,
  };
  const [model] = await tested.all(conn, args);
  return { ...asked!, model };
}

/** Statements of this test do not count as statements of the program. */
const declared = statements.length;
const own = <S>(made: S): S => {
  statements.length = declared;
  return made;
};

const WALLET = '01890a5d-ac96-774b-bcce-b302099a8057';

test('a parameter is stored in the form of the column that it stands beside', async () => {
  const where = own(
    statement((db, p: { on: boolean; most: number }) =>
      db
        .selectFrom('wallets as w')
        .innerJoin('wallet_accounts as a', 'a.wallet_id', 'w.id')
        .select(['w.id as wallet', 'w.exported', 'a.exported as accountExported'])
        .where('w.exported', '=', p.on)
        .where('a.exported', '<>', true)
        .where('w.id', 'in', (e) => e.selectFrom('wallets').select('id').where('imported', '=', p.on))
        .where('w.name', '=', 'name')
        .limit(p.most),
    ),
  );
  const row = { wallet: idBytes(WALLET), exported: 1, accountExported: 0 };
  const { parameters, model } = await sent(where, { on: true, most: 3 }, row);
  assert.deepEqual(parameters, [1, 1, 1, 'name', 3]);
  assert.deepEqual(model, { wallet: WALLET, exported: true, accountExported: false });

  const change = own(
    statement((db, p: { id: string; on: boolean; more: number }) =>
      db
        .updateTable('wallets')
        .set((e) => ({ exported: p.on, imported: true, created_at: e('created_at', '+', p.more) }))
        .where('id', '=', p.id),
    ),
  );
  assert.deepEqual((await sent(change, { id: WALLET, on: false, more: 2 })).parameters, [0, 1, 2, idBytes(WALLET)]);

  const among = own(
    dynamic({}, (db, p: { on: readonly boolean[] }) => db.selectFrom('wallets').select('id').where('exported', 'in', p.on)),
  );
  const found = { id: idBytes(WALLET) };
  assert.deepEqual((await sent(among, { on: [true, false] }, found)).parameters, [1, 0]);
  assert.deepEqual((await sent(among, { on: [false, true] }, found)).parameters, [0, 1], 'compiled for any values');
  assert.deepEqual((await sent(among, { on: [false] }, found)).parameters, [0]);
});

test('an INSERT has every column, also those that follow from others', async () => {
  const insert = own(
    statement((db, p: User) =>
      db
        .insertInto('users')
        .values(values(users, p))
        .onConflict((c) => c.columns(['organization_id', 'id']).doUpdateSet({ name: p.name })),
    ),
  );
  const { sql: text, parameters } = await sent(insert, userOf('org', 'user'));
  const names = [...text.matchAll(/"(\w+)"/g)].slice(1, 1 + stored(users).length).map(([, name]) => name);
  assert.deepEqual(
    names,
    stored(users).map(({ name }) => name),
  );
  const given = Object.fromEntries(names.map((name, i) => [name, parameters[i]]));
  assert.deepEqual([given.email, given.email_key, given.parent_id], ['Mail@Example.com', 'mail@example.com', null]);
  assert.equal(parameters.at(-1), 'name');
  const { parameters: none } = await sent(insert, { ...userOf('org', 'user'), email: null });
  assert.equal(none[names.indexOf('email_key')], null);
});

test('SQL text reads and writes by the same columns', async () => {
  const find = own(
    written<object>('postgres')(`SELECT ${selection('w', wallets)} FROM wallets w WHERE w.exported = ANY($1)`, list(flag())),
  );
  const row = { 'w.id': WALLET, 'w.exported': 1, 'w.imported': 0, 'w.createdAt': 5 };
  const { sql: asked, parameters, model } = await sent(find, [[true, false]] as const, row, 'postgres');
  assert.match(asked, /w\."organization_id" AS "w\.organizationId"/);
  assert.deepEqual(parameters, [arrayWriter('smallint')([1, 0])]);
  const { id, exported, imported, createdAt } = readerOf('postgres', 'w', wallets)(model!);
  assert.deepEqual([id, exported, imported, createdAt], [WALLET, true, false, 5]);
});

test('a statement of which the columns are not known is refused', async () => {
  const refused = (made: Statement<{ value: string }, unknown>, error: RegExp) =>
    assert.rejects(async () => sent(own(made), { value: 'v' }), error);
  await refused(
    statement((db) => db.selectFrom('users').selectAll()),
    /names what it selects/,
  );
  await refused(
    statement((db) => db.selectFrom('users as u').selectAll('u')),
    /names what it selects/,
  );
  await refused(
    statement((db, p: { value: string }) => db.selectFrom('users').select('id').where(sql<boolean>`lower(name) = ${p.value}`)),
    /beside no column/,
  );
  await refused(
    statement((db, p: { value: string }) =>
      db
        .selectFrom('users')
        .select('id')
        .where('nothing' as 'name', '=', p.value),
    ),
    /no column nothing/,
  );
  await refused(
    statement((db) => db.selectFrom('nothing' as 'users').select('id')),
    /no table nothing/,
  );
});

test('a model without one of the columns does not compile', () => {
  const without = {} as Omit<User, 'phone'>;
  // @ts-expect-error: phone is missing
  values(users, without);
  // @ts-expect-error: a number is no name
  values(users, {} as Omit<User, 'name'> & { name: number });
  const more = {} as User & { nickname: string };
  values(users, more);
});

test('different texts are stored differently', () => {
  const { write } = hex().sqlite;
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      assert.equal((write!(a) as Buffer).equals(write!(b) as Buffer), a === b);
    }),
  );
});

test('lower-case hex takes half its characters, an id 16 bytes and a digest 32', () => {
  const size = (column: Column<string>, text: string) => (column.sqlite.write!(text) as Buffer).length;
  assert.equal(size(hex(), `02${'ab'.repeat(32)}`), 33);
  assert.equal(size(id(), WALLET), 16);
  assert.equal(size(digest(), `sha256:${'ab'.repeat(32)}`), 32);
});

test('ids sort in bytes as their texts do', () => {
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  fc.assert(fc.property(ids, ids, (a, b) => assert.equal(Buffer.compare(idBytes(a)!, idBytes(b)!), order(a, b))));
});

const NO_ID = [
  '',
  'user',
  '00000000-0000-0000-0000-000000000000',
  WALLET.toUpperCase(),
  WALLET.replaceAll('-', ''),
  `{${WALLET}}`,
  `${WALLET} `,
  `${WALLET.slice(0, -1)}g`,
  `${WALLET.slice(0, -1)}é`,
  WALLET.replace('-', '_'),
  `-${WALLET.slice(1)}`,
];

test('a value that is no id, or no digest, is never written, and a look-up finds no row by it', () => {
  for (const engine of ENGINES) {
    for (const text of NO_ID) {
      assert.throws(() => id()[engine].write!(text), /is not a UUID in lower case/, text);
      assert.deepEqual(id()[engine].seek!(text), id()[engine].seek!('another'), text);
    }
    for (const text of ['', 'sha256:', `sha256:${'AB'.repeat(32)}`, `sha256:${'ab'.repeat(31)}`, `sha512:${'ab'.repeat(32)}`]) {
      assert.throws(() => digest()[engine].write!(text), /is not a digest/, text);
      assert.deepEqual(digest()[engine].seek!(text), Buffer.alloc(0), text);
    }
  }
});

test(`an id that is none answers like an unknown one on ${engineName}, and is not written`, async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const page = { limit: 10 };
  const unknown = '01890a5d-ac96-774b-bcce-b302099a8058';
  try {
    await store.transaction((tx) => fill(tx, 'parent', null));
    await store.transaction((tx) => fill(tx, 'sub', 'parent'));
    const org = idOf('sub');
    const answers = async (asked: string) => [
      await store.read.organizations.get(asked),
      await store.read.users.get(org, asked),
      await store.read.users.get(asked, idOf('user')),
      await store.read.users.page(asked, page),
      await store.read.requestLookup.get(asked, 'key of sub', digestOf('activity')),
      await store.read.credentials.holder(asked, 'key of sub'),
      await store.read.signers.find(asked, 'address of sub'),
      await store.read.tags.existing(org, 'user', [asked]),
      await store.read.activities.list(asked, {}, page),
      await store.read.organizations.subOrganizationIds(asked, undefined, page),
      await store.transaction((tx) => tx.users.remove(org, asked, NOW)),
      await store.transaction((tx) => tx.tags.drop(org, asked, idOf('user'), NOW)),
    ];
    const none = await answers(unknown);
    for (const text of NO_ID.slice(0, 4)) assert.deepEqual(await answers(text), none, text);
    assert.equal((await store.read.requestLookup.get(org, 'key of sub', 'no digest')).existing, undefined);
    for (const text of NO_ID)
      await assert.rejects(
        store.transaction((tx) => tx.users.insert({ ...userOf('sub', 'new'), id: text })),
        /is not a UUID in lower case/,
        text,
      );
    assert.equal((await store.read.users.page(org, page)).length, 1);
  } finally {
    await opened.close();
  }
});
