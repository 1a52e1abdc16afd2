import { withElement, withImport } from './lists.ts';
import { camel, checkPlainName } from './names.ts';
import { exists, type File, filesIn, foldersIn, type Made, Refused, read } from './tree.ts';

const REPOSITORIES = 'src/store/repositories';

/** The answers that a table needs besides its name. */
export type TableOptions = { noun?: string | undefined; limit?: string | undefined; unlimited?: string | undefined };

/** `limit`: of an organization's rows; undefined if they need none, and `because` says why. */
type Table = { name: string; table: string; rows: string; model: string; noun: string; limit?: number; because: string };

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

const countOf = ({ rows, model, limit }: Table): string | undefined =>
  limit === undefined ? undefined : `${rows[0]}${model.slice(1)}Count`;

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function migrationOf(made: Table): File[] {
  const { name, table, rows } = made;
  const count = countOf(made);
  const counted = count
    ? `\n    db.schema.alterTable('organizations').addColumn('${snake(count)}', int, (c) => c.notNull().defaultTo(0)),`
    : '';
  const numbers = filesIn('src/store/migrations').flatMap((file) => /^(\d{4})-/.exec(file)?.[1] ?? []);
  const version = Math.max(...numbers.map(Number)) + 1;
  const file = `${String(version).padStart(4, '0')}-${name}`;
  const text = `import type { Migration } from './migration.ts';

export const ${rows}: Migration = {
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
      .addPrimaryKeyConstraint('${table}_key', ['organization_id', 'id']),${counted}
  ],
};
`;
  const list = 'src/store/migrations/index.ts';
  const line = `import { ${rows} } from './${file}.ts';`;
  return [
    { path: `src/store/migrations/${file}.ts`, text },
    { path: list, text: withElement(withImport(read(list), line), rows, false) },
  ];
}

const modelFile = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');

function columnsOf({ name, table, rows, model }: Table): File[] {
  const type = `/** A row of \`${table}\`. */
export type ${model} = {
  organizationId: string;
  id: string;
  name: string;
  createdAt: number;
  updatedAt: number;
};
`;
  const text = `import { id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const ${rows} = table('${table}', {
  organizationId: id(),
  id: id(),
  name: text(),
  createdAt: int(),
  updatedAt: int(),
});
`;
  const line = `import { ${rows} } from './${name}.ts';`;
  return [
    { path: `src/model/${modelFile(name)}.ts`, text: type },
    { path: `src/store/tables/${name}.ts`, text },
    changed('src/store/tables/index.ts', [line], [['export const tables = {', '\n};', `  ${rows},`]]),
  ];
}

function repositoryOf(made: Table): File {
  const { name, table, rows, model, noun } = made;
  const count = countOf(made);
  const counting = (org: string, more: string) => (count ? `counts.add(${org}, '${count}', ${more});` : '');
  const removing = count
    ? `if ((await remove.run(conn, { org, id })) !== 1) return false;
    ${counting('org', '-1')}
    return true;`
    : 'return (await remove.run(conn, { org, id })) === 1;';
  const text = `import type { ${model} } from '../../../model/${modelFile(name)}.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { ${rows} } from '../../tables/${name}.ts';
${count ? "import type { Upkeep } from '../upkeep.ts';\n" : ''}
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

export const ${rows}Writes = (conn: Conn${count ? ', { counts }: Upkeep' : ''}) => ({
  async insert(row: ${model}): Promise<void> {
    await insert.run(conn, row);
    ${counting('row.organizationId', '1')}
  },
  /** False if it does not exist. */
  async remove(org: string, id: string): Promise<boolean> {
    ${removing}
  },
});
`;
  return { path: `${REPOSITORIES}/${noun}/${name}.ts`, text };
}

/** The limit of rows in an organization: the setting, the count in the organization's row, and its lines in tests. */
function limitOf(made: Table): File[] {
  const { table, rows, limit, because } = made;
  const reason = limit === undefined ? `{ because: ${JSON.stringify(because)} }` : `'${rows}'`;
  const line = changed('tests/store/row-limits.test.ts', [], [['const ROW_LIMITS', '\n};', `  ${table}: ${reason},`]]);
  const count = countOf(made);
  if (count === undefined) return [line];
  const row = `  ${rows}: 'nothing creates rows yet: say here which call does',`;
  return [
    line,
    changed('src/model/limits.ts', [], [['export const DEFAULT_LIMITS', '\n};', `  ${rows}: ${limit},`]]),
    changed('src/store/tables/organizations.ts', [], [['const counts = {', '\n};', `  ${count}: count,`]]),
    changed(
      'tests/store/repositories/limits/counts.test.ts',
      [],
      [['const ROWS', '\n};', `  ${count}: 'COUNT(*) FROM ${table}',`]],
    ),
    changed('tests/e2e/limits-at-once.test.ts', [], [['const LIMITS', '\n};', row]]),
  ];
}

/** The table's lines in the list of repositories and in the tests that call every method. */
function listsOf({ name, rows, noun }: Table): File[] {
  const row = (more: string) => `{ organizationId: ${more}, name: 'name', ...times }`;
  return [
    changed(
      `${REPOSITORIES}/index.ts`,
      [`import { ${rows}Reads, ${rows}Writes } from './${noun}/${name}.ts';`],
      [['const repositories = {', '\n};', `  ${rows}: { reads: ${rows}Reads, writes: ${rows}Writes },`]],
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

const testPath = (noun: string, name: string): string => `tests/store/repositories/${noun}/${name}.test.ts`;

function testOf({ name, rows, noun }: Table): File {
  const text = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

test(\`a written row is read back as it was, on \${engineName}\`, async () => {
  const row = { organizationId: org, id: idOf('another'), name: 'another', createdAt: NOW, updatedAt: NOW };
  await opened.store.transaction((tx) => tx.${rows}.insert(row));
  assert.deepEqual(await opened.store.read.${rows}.get(org, idOf('another')), row);
  assert.equal((await opened.store.read.${rows}.page(org, { limit: 10 })).length, 2);
  assert.equal(await opened.store.transaction((tx) => tx.${rows}.remove(org, idOf('another'))), true);
  assert.equal(await opened.store.read.${rows}.get(org, idOf('another')), undefined);
  assert.fail('give the table its columns, its indexes and its rules, and show them here');
});
`;
  return { path: testPath(noun, name), text };
}

/** The table as its author wants it. Refuses what is missing, and says what to give. */
function wanted(name: string, { noun, limit, unlimited }: TableOptions): Table {
  const nouns = foldersIn(REPOSITORIES);
  const taken = nouns.map((folder) => `${REPOSITORIES}/${folder}/${name}.ts`).find(exists);
  checkPlainName(name, 'table', 'ip-allowlists', taken ?? `src/model/${modelFile(name)}.ts`);
  if (noun === undefined || !nouns.includes(noun))
    throw new Refused(`say what its rows are about, with --noun and one of ${nouns.join(', ')}`);
  const base = { name, table: name.replaceAll('-', '_'), rows: camel(name), model: singular(name), noun };
  if (limit !== undefined && unlimited === undefined && /^[1-9]\d{0,8}$/.test(limit))
    return { ...base, limit: Number(limit), because: '' };
  if (limit === undefined && unlimited !== undefined && unlimited.trim().length > 10)
    return { ...base, because: unlimited.trim() };
  throw new Refused('give the limit of rows in an organization: --limit 100, or --unlimited and a sentence with the reason');
}

/** A table of an organization's rows: migration, model, repository, limit, and the calls that the tests of all tables make. */
export function newTable(name: string, options: TableOptions): Made {
  const made = wanted(name, options);
  const files = [...migrationOf(made), ...columnsOf(made), repositoryOf(made), ...listsOf(made), ...limitOf(made), testOf(made)];
  return {
    files,
    next: [
      'give it its columns, in the migration, in src/store/tables/ and in src/model/, and an index for every look-up',
      'a write raises the organization’s version; one that no decision rests on says so in src/store/version-raising.ts',
      ...(made.limit === undefined
        ? []
        : [
            'call requireRoom before each insert; the limit gets its rows in docs/operating/ and its call in tests/e2e/limits-at-once.test.ts',
          ]),
      `npm run generate; node --test ${testPath(made.noun, name)}; npm test -- tests/store; npm run check; npm test -- --only tests/store --engine postgres`,
    ],
  };
}
