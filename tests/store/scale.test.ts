import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { statements } from '../../src/store/statement.ts';
import { engineName } from '../support/database.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { EXCEPTIONS, IN_FLOWS } from './scale/exceptions.ts';
import { type Ran, recorded, runFlows } from './scale/flows.ts';

const skip = engineName === 'sqlite' && 'about PostgreSQL';
const CHAPTER = new URL('../../docs/operating/scale.md', import.meta.url);

let instance: Instance;
before(async () => {
  if (!skip) instance = await startInstance();
});
after(() => instance?.close());

const OF_TRANSACTIONS = /^(BEGIN|COMMIT|ROLLBACK)$/;
const OF_THE_SERVER = /^SELECT current_setting\('synchronous_standby_names'\) <> '' AS waits$/;
/** What a SELECT gives says nothing about which rows it finds. */
const withoutResults = (sql: string) => sql.replace(/^\s*select\s[\s\S]*?\bfrom\b/i, 'SELECT FROM');
const namesColumn = (sql: string) => /organization_id"?\s*(=|in\b|,)|\borganizations\b/i.test(withoutResults(sql));

/** Words behind these may be of the language, and names that the statement gives its own parts. */
const NO_TABLES = /^(f|unnest|lateral|set|skip|given|unfit|written|extract|clock_timestamp|range|ranges|jsonb?_\w+)$/i;

function tablesIn(sql: string): string[] {
  const found = [...sql.matchAll(/\b(?:from|join|into|update)\s+(?:lateral\s+)?"?([a-z_]\w*)"?/gi)].map(([, name]) => name!);
  return [...new Set(found.filter((name) => !NO_TABLES.test(name)))];
}

const labelOf = (sql: string): string =>
  `${/\b(insert|update|delete)\b/i.exec(sql)?.[0].toLowerCase() ?? 'select'} ${tablesIn(sql).join(', ')}`;

const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');

/** The organizations whose ids are among the values of a statement. */
const namedIn = ({ values }: Ran, ids: readonly string[]): string[] =>
  ids.filter((id) =>
    values.some(
      (value) =>
        value === id || (Array.isArray(value) && value.includes(id)) || (Buffer.isBuffer(value) && value.includes(bytesOf(id))),
    ),
  );

const section = (title: string): string => {
  const text = readFileSync(CHAPTER, 'utf8');
  const [, after] = text.split(`<!-- ${title} -->\n`);
  return after?.split('<!-- end -->')[0]?.trim() ?? '';
};

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

test('each statement of the hot path names one organization, or it and its parent', { skip }, async () => {
  const ran = (await recorded((as) => runFlows(instance, as))).filter(
    ({ flow, sql }) => flow !== '' && !OF_TRANSACTIONS.test(sql) && !OF_THE_SERVER.test(sql) && !/^SET /.test(sql),
  );
  const rows = await instance.raw('SELECT id, parent_id FROM organizations');
  const parents = new Map(rows.map(({ id, parent_id }) => [id as string, parent_id as string | null]));
  const flows = new Map<string, Set<string>>();
  for (const one of ran) {
    const label = labelOf(one.sql);
    const [only] = tablesIn(one.sql);
    if (!namesColumn(one.sql) && only !== undefined && only in IN_FLOWS) continue;
    const names = namedIn(one, [...parents.keys()]);
    const text = `${one.flow}: ${one.sql}`;
    assert.ok(namesColumn(one.sql), text);
    assert.ok(names.length === 1 || names.length === 2, `${names.length} organizations in ${text}`);
    const [first, second] = names;
    if (second !== undefined) assert.ok(parents.get(first!) === second || parents.get(second) === first, text);
    flows.set(one.flow, (flows.get(one.flow) ?? new Set()).add(label));
  }
  assert.ok(flows.size > 20, `${flows.size} flows`);
  const written = [...flows].map(([flow, labels]) => [
    flow,
    [...labels]
      .sort()
      .map((label) => `\`${label}\``)
      .join(' '),
  ]);
  assert.equal(section('hot path'), tableOf(['Request', 'Statements, by what they do and their tables'], written));
});

test('each other statement is of a table that the chapter about scale names', { skip }, () => {
  const found = new Set(
    statements.flatMap(({ only, sql }) => {
      const text = only === 'sqlite' ? undefined : sql?.('postgres');
      return text === undefined || namesColumn(text) ? [] : tablesIn(text).slice(0, 1);
    }),
  );
  assert.deepEqual([...found].sort(), Object.keys(EXCEPTIONS).sort());
  const written = Object.entries(EXCEPTIONS).map(([table, need]) => [`\`${table}\``, need, IN_FLOWS[table] ?? '']);
  assert.equal(section('exceptions'), tableOf(['Table', 'What its statements would need', 'In requests above'], written));
});
