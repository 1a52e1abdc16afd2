/** `npm run new`: writes the files of a new operation, chain or table from templates, with a failing test to fill in. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { activityFacts, queryFacts, queryName } from '../tests/conformance/interface.ts';
import { newActivity } from './new/activity.ts';
import { newChain } from './new/chain.ts';
import { kebab, operations } from './new/names.ts';
import { newQuery } from './new/query.ts';
import { newTable, type TableOptions } from './new/table.ts';
import { exists, type Made, Refused, ROOT, read, tidy } from './new/tree.ts';

const HELP = `usage: npm run new -- SORT NAME [--resource FOLDER] [--dry-run]

  npm run new -- activity UPDATE_USER_NAME      one activity with all its versions
  npm run new -- query get_api_key              one query
  npm run new -- chain near                     a chain with an address format
  npm run new -- table ip-allowlists --noun people --limit 100
                                                a table, its migration, its model, its repository and its limit

  --resource FOLDER  the folder of src/activities or src/queries; the default is that of the operations about the same noun
  --noun FOLDER      of a table: the folder of src/store/repositories
  --limit NUMBER     of a table: how many rows an organization may have by default
  --unlimited WHY    in its place: a sentence that says why the rows need no limit
  --dry-run          print what would be written, and write nothing
  --list             print the names that the interface has and nothing serves, after activity or query
`;

type Options = TableOptions & { resource?: string | undefined };

const SORTS: Readonly<Record<string, (name: string, options: Options) => Made>> = {
  activity: (name, { resource }) => newActivity(name, resource),
  query: (name, { resource }) => newQuery(name, resource),
  chain: newChain,
  table: newTable,
};

const say = (text: string) => process.stdout.write(`${text}\n`);

function list(sort: string): void {
  const [names, there] =
    sort === 'activity'
      ? [activityFacts.map(({ kind }) => kind), operations('activities')]
      : [queryFacts.map(queryName), operations('queries')];
  for (const name of names.filter((one) => !there.has(kebab(one)))) say(name);
}

/** A new file whole; of one that is there, the lines that come and go. */
function show(path: string, text: string): void {
  if (!exists(path)) {
    say(`--- new: ${path}\n${text}`);
    return;
  }
  const [before, after] = [read(path).split('\n'), text.split('\n')];
  const gone = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  say(`--- changed: ${path}\n${[...gone, ...come].join('\n')}\n`);
}

function write({ files, next }: Made, dry: boolean): void {
  // All of them before the first is written.
  const tidied = files.map(tidy);
  for (const { path, text } of tidied) {
    if (dry) {
      show(path, text);
      continue;
    }
    say(`${exists(path) ? 'changed' : 'written'}: ${path}`);
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
  say(`\nnext:\n${next.map((step) => `- ${step}`).join('\n')}`);
}

function main(args: string[]): void {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      resource: { type: 'string' },
      noun: { type: 'string' },
      limit: { type: 'string' },
      unlimited: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [sort = '', name = '', ...more] = positionals;
  if (values.help) {
    say(HELP);
    return;
  }
  const make = Object.hasOwn(SORTS, sort) ? SORTS[sort] : undefined;
  if (make === undefined) throw new Refused(`${sort || 'nothing'} is none of ${Object.keys(SORTS).join(', ')}\n\n${HELP}`);
  const operation = sort === 'activity' || sort === 'query';
  if (!operation && (values.list || values.resource !== undefined))
    throw new Refused('--list and --resource are for activity and query');
  if (sort !== 'table' && (values.noun ?? values.limit ?? values.unlimited) !== undefined)
    throw new Refused('--noun, --limit and --unlimited are for table');
  if (values.list) {
    list(sort);
    return;
  }
  if (more.length > 0) throw new Refused(`one name at a time: ${more.join(' ')} is too much`);
  write(make(name, values), values['dry-run']);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  const badOption = (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof Refused) && !badOption) throw error;
  process.stderr.write(`${(error as Error).message.trimEnd()}\n`);
  process.exitCode = 2;
}
