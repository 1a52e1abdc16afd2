import { withElement, withImport } from './lists.ts';
import { camel, checkPlainName } from './names.ts';
import { type File, filesIn, type Made, read } from './tree.ts';

/** ip-allowlists → IpAllowlist; policies → Policy */
function singular(name: string): string {
  const one = camel(name).replace(/ies$/, 'y').replace(/s$/, '');
  return one[0]!.toUpperCase() + one.slice(1);
}

/** Inserts lines at the end of the block that begins with `start` and ends with `end`. */
function atEndOf(text: string, start: string, end: string, lines: string, path: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${path} has no '${start}' any more: mend scripts/new/table.ts`);
  return `${text.slice(0, to)}\n${lines}${text.slice(to)}`;
}

type Place = readonly [start: string, end: string, lines: string];

/** An existing file with more imports, and with more lines at the end of its lists. */
function changed(path: string, imports: readonly string[], places: readonly Place[]): File {
  const start = imports.reduce(withImport, read(path));
  return { path, text: places.reduce((text, [from, to, lines]) => atEndOf(text, from, to, lines, path), start) };
}

function migrationOf(name: string, table: string): File[] {
  const numbers = filesIn('src/store/migrations').flatMap((file) => /^(\d{4})-/.exec(file)?.[1] ?? []);
  const version = Math.max(...numbers.map(Number)) + 1;
  const file = `${String(version).padStart(4, '0')}-${name}`;
  const text = `import type { Migration } from './migration.ts';

export const ${camel(name)}: Migration = {
  version: ${version},
  name: '${name}',
  up: (db, { id, text, int }) => [
    db.schema
      .createTable('${table}')
      .addColumn('organization_id', id, (c) => c.notNull())
      .addColumn('id', id, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('updated_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('${table}_key', ['organization_id', 'id']),
  ],
};
`;
  const list = 'src/store/migrations/index.ts';
  const line = `import { ${camel(name)} } from './${file}.ts';`;
  return [
    { path: `src/store/migrations/${file}.ts`, text },
    { path: list, text: withElement(withImport(read(list), line), camel(name), false) },
  ];
}

function columnsOf(name: string, table: string): File[] {
  const text = `import { id, int, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

export const ${camel(name)} = table('${table}', {
  organizationId: id(),
  id: id(),
  name: text(),
  createdAt: int(),
  updatedAt: int(),
});

export type ${singular(name)} = ModelOf<typeof ${camel(name)}>;
`;
  const line = `import { ${camel(name)} } from './${name}.ts';`;
  return [
    { path: `src/store/tables/${name}.ts`, text },
    changed('src/store/tables/index.ts', [line], [['export const tables = {', '\n};', `  ${camel(name)},`]]),
  ];
}

function repositoryOf(name: string, table: string): File {
  const [rows, model] = [camel(name), singular(name)];
  const text = `import type { Page } from '../page.ts';
import { pagesOf } from '../pages.ts';
import { type Conn, statement } from '../statement.ts';
import { values } from '../table.ts';
import { type ${model}, ${rows} } from '../tables/${name}.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('${table}').select(${rows}.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const pages = pagesOf(${rows});
const insert = statement((db, p: ${model}) => db.insertInto('${table}').values(values(${rows}, p)));
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('${table}').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const ${rows}Reads = (conn: Conn) => ({
  get: (org: string, id: string): Promise<${model} | undefined> => get.first(conn, { org, id }),
  /** In the order of creation. */
  page: (org: string, page: Page): Promise<${model}[]> => pages(conn, org, page),
});

export const ${rows}Writes = (conn: Conn) => ({
  async insert(row: ${model}): Promise<void> {
    await insert.run(conn, row);
  },
  /** False if it is not there. */
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
});
`;
  return { path: `src/store/repositories/${name}.ts`, text };
}

/** The table's lines in the lists of repositories and in the tests that call every method. */
function listsOf(name: string): File[] {
  const rows = camel(name);
  const from = `from './${name}.ts';`;
  const both = `{ ${rows}Reads, ${rows}Writes }`;
  const row = (more: string) => `{ organizationId: ${more}, name: 'name', ...times }`;
  return [
    changed(
      'src/store/repositories/index.ts',
      [`import ${both} ${from}`],
      [
        ['export const readerOn', '\n});', `  ${rows}: ${rows}Reads(conn),`],
        ['export function writesOn', '\n  };', `    ${rows}: ${rows}Writes(conn),`],
      ],
    ),
    changed(
      'tests/store/fixture.ts',
      [],
      [['export async function fill', '\n}', `  await tx.${rows}.insert(${row("id, id: idOf('row')")});`]],
    ),
    changed(
      'tests/store/calls-of-reads.ts',
      [],
      [['export const reads =', '\n});', `  ${rows}: { get: [[asked, idOf('row')]], page: around.map((p) => [asked, p]) },`]],
    ),
    changed(
      'tests/store/calls-of-writes.ts',
      [],
      [
        [
          'export const writes =',
          '\n  };',
          `    ${rows}: { insert: [[${row("org, id: idOf('new')")}]], remove: [[org, idOf('row')]] },`,
        ],
      ],
    ),
  ];
}

function testOf(name: string): File {
  const rows = camel(name);
  const text = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from './fixture.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

test(\`what is written is read back as it was, on \${engineName}\`, async () => {
  const row = { organizationId: org, id: idOf('another'), name: 'another', createdAt: NOW, updatedAt: NOW };
  await opened.store.transaction((tx) => tx.${rows}.insert(row));
  assert.deepEqual(await opened.store.read.${rows}.get(org, idOf('another')), row);
  assert.equal((await opened.store.read.${rows}.page(org, { limit: 10 })).length, 2);
  assert.equal(await opened.store.transaction((tx) => tx.${rows}.remove(org, idOf('another'))), true);
  assert.equal(await opened.store.read.${rows}.get(org, idOf('another')), undefined);
  assert.fail('give the table its columns, its indexes and its rules, and show them here');
});
`;
  return { path: `tests/store/${name}.test.ts`, text };
}

/** A table of an organization's rows with its migration, its columns, its repository and the calls that the tests of all tables make. */
export function newTable(name: string): Made {
  checkPlainName(name, 'table', 'ip-allowlists', `src/store/repositories/${name}.ts`);
  const table = name.replaceAll('-', '_');
  const files = [
    ...migrationOf(name, table),
    ...columnsOf(name, table),
    repositoryOf(name, table),
    ...listsOf(name),
    testOf(name),
  ];
  return {
    files,
    next: [
      'give it its columns, in the migration and in src/store/tables/, and an index for every look-up',
      'a write raises the organization’s version; one that no decision rests on says so in src/store/version-raising.ts',
      `npm run generate; node --test tests/store/${name}.test.ts tests/store; npm run check; npm test -- --only tests/store --engine postgres`,
    ],
  };
}
