import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { resourceFolder } from '../../scripts/new/names.ts';
import { type ActivityFact, activityFacts, queryFacts, queryName, resolve as shapeOf } from '../conformance/interface.ts';
import { NOT_YET } from '../conformance/not-yet.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A checkout with only what the templates need. */
let copy: string;
before(() => {
  copy = mkdtempSync(join(tmpdir(), 'countersign-new-'));
  for (const path of [
    'src',
    'scripts',
    'console/public',
    'contracts',
    'openapi',
    'reference',
    'review',
    'docs',
    'man',
    'package.json',
    'tsconfig.json',
    'biome.json',
  ])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  const skipped = new Set(['vectors', 'e2e', 'policy']);
  for (const path of readdirSync(join(ROOT, 'tests')).filter((name) => !skipped.has(name)))
    cpSync(join(ROOT, 'tests', path), join(copy, 'tests', path), { recursive: true });
  const limits = 'tests/e2e/limits-at-once.test.ts';
  cpSync(join(ROOT, limits), join(copy, limits));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});
after(() => rmSync(copy, { recursive: true, force: true }));

function node(...args: string[]) {
  // Without this variable: a test runner that is started by a test prints another form.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

const run = (...args: string[]) => node('scripts/new.ts', ...args);

/** The paths that were written or changed. */
function made(...args: string[]): string[] {
  const { status, stdout, stderr } = run(...args);
  assert.equal(status, 0, stderr);
  return [...stdout.matchAll(/^(?:written|changed): (.*)$/gm)].map((match) => match[1]!);
}

const everything = () =>
  ['src', 'tests'].flatMap((folder) =>
    readdirSync(join(copy, folder), { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

/** The types, the lint and the architecture of the copy. */
function holds(files: readonly string[]): void {
  const compiler = {
    extends: './tsconfig.json',
    compilerOptions: { incremental: false, tsBuildInfoFile: null },
    include: [],
    files,
  };
  writeFileSync(join(copy, 'made.json'), JSON.stringify(compiler));
  const types = node('node_modules/typescript/bin/tsc', '-p', 'made.json');
  assert.equal(types.status, 0, types.stdout);
  const lint = node('node_modules/@biomejs/biome/bin/biome', 'check', '--colors=off', ...files);
  assert.equal(lint.status, 0, lint.stdout + lint.stderr);
  const rules = node('scripts/check.ts', '--only=architecture');
  assert.equal(rules.status, 0, rules.stdout);
}

/** Each new test says what is missing, and tests of what the template knows already pass. */
function failsAs(file: string, wanted: Record<string, RegExp | undefined>): void {
  const { stdout } = node('--test', '--test-reporter=tap', file);
  const found = new Map<string, string | undefined>();
  for (const [, not, name, rest] of stdout.matchAll(/^(not )?ok \d+ - (.*)\n([\s\S]*?)(?=^(?:not )?ok |^1\.\.)/gm))
    found.set(name!, not ? /error: (?:\|-\n)?([\s\S]*?)\n {2}code/.exec(rest!)?.[1]?.trim() : undefined);
  assert.deepEqual([...found.keys()].sort(), Object.keys(wanted).sort());
  for (const [name, why] of found)
    if (wanted[name] === undefined) assert.equal(why, undefined, name);
    else assert.match(why ?? 'it passed', wanted[name], name);
}

function folderOf(kind: string): string | undefined {
  try {
    return resourceFolder(kind, undefined, 'activities');
  } catch {
    return undefined;
  }
}

const all = activityFacts.filter(({ versions }) => Object.keys(versions).every((type) => NOT_YET.types.includes(type)));
/** One whose noun has a folder already. */
const sibling = all.find(({ kind }) => folderOf(kind) !== undefined);
const unserved = all.filter((one) => one !== sibling);
const unservedQueries = queryFacts.filter(({ path }) => NOT_YET.paths.includes(path));
const few = <T>(all: readonly T[], what: readonly ((one: T) => boolean)[]): T[] => [
  ...new Set(what.flatMap((is) => all.filter(is).slice(0, 1))),
];
const results = ({ versions }: ActivityFact) => new Set(Object.values(versions).map((version) => version.resultKey));

/** One unserved activity for each case that the templates distinguish. */
const kinds = few(unserved, [
  ({ versions }) => Object.values(versions).every((one, i) => i === 0 && shapeOf(one.intent).required),
  (one) => Object.keys(one.versions).length > 1 && results(one).size === 1,
  (one) => results(one).size > 1,
  (one) => !one.path.endsWith(`/${one.kind.toLowerCase()}`),
  (one) => one.resource === undefined,
  (one) => one.governance === 'root-quorum',
  (one) => JSON.stringify(one).includes('"enum"'),
]);
const queries = few(unservedQueries, [
  (one) => (shapeOf(one.body).required ?? []).length > 1,
  (one) => (shapeOf(one.body).required ?? []).length === 1,
  (one) => shapeOf(one.body).properties?.paginationOptions !== undefined,
]);

test('an activity: all that the interface says of it stands there, and its test says what is missing', {
  skip: kinds.length === 0 && 'every activity of the interface is served',
}, () => {
  const files = kinds.flatMap(({ kind }) => made('activity', kind, '--resource', 'sundries'));
  const [first] = kinds as [ActivityFact];
  const name = first.kind.toLowerCase().replaceAll('_', '-');
  for (const path of [
    `src/activities/sundries/${name}.ts`,
    'src/activities/sundries/index.ts',
    'src/activities/index.ts',
    `tests/activities/sundries/${name}.test.ts`,
    'tests/activities/sundries/samples.ts',
    'tests/support/all-samples.ts',
  ])
    assert.ok(files.includes(path), `${path} of ${files}`);
  holds([...new Set(files)]);
  failsAs(`tests/activities/sundries/${name}.test.ts`, {
    accepted: /not completed: 500 .*internal server error/,
    'each listed error': /show when each code of errors is answered/,
  });
});

test('a query: the same', { skip: queries.length === 0 && 'every query of the interface is served' }, () => {
  const files = queries.flatMap((fact) => made('query', queryName(fact), '--resource', 'sundries'));
  holds([...new Set(files)]);
  const name = queryName(queries[0]!);
  failsAs(`tests/queries/sundries/${name.replaceAll('_', '-')}.test.ts`, {
    'a stored one is found': /internal server error/,
    'a missing one is not found, and neither is one of another organization': /no other organization sees it/,
  });
});

test('what was added is what the interface says, with a well-formed sample, and no longer in NOT_YET', () => {
  const generated = node('scripts/generate.ts');
  assert.equal(generated.status, 0, generated.stdout + generated.stderr);
  const { status, stdout } = node('--test', 'tests/conformance/operations.test.ts');
  assert.equal(status, 0, stdout);
});

test('a chain: its address format is in the list, and its test waits for vectors', () => {
  const files = made('chain', 'moonbeam-two');
  assert.deepEqual(files, [
    'src/chains/moonbeam-two/address.ts',
    'src/chains/index.ts',
    'tests/chains/moonbeam-two/address.test.ts',
  ]);
  holds(files);
  const why = /ADDRESS_FORMAT_MOONBEAM_TWO is not written yet/;
  failsAs('tests/chains/moonbeam-two/address.test.ts', { 'the addresses of an independent library': why });
});

test('a table: the tests of all tables hold for it, and its own says what is missing', {
  skip: !existsSync(join(ROOT, 'src/store/tables')) && 'src/store/tables is not there yet',
}, () => {
  const files = made('table', 'moonbeams', '--noun', 'service', '--limit', '20');
  const written = files.filter((path) => path.includes('moonbeams'));
  assert.deepEqual(
    written.map((path) => path.replace(/\d{4}/, 'NNNN')),
    [
      'src/store/migrations/NNNN-moonbeams.ts',
      'src/store/tables/moonbeams.ts',
      'src/store/repositories/service/moonbeams.ts',
      'tests/store/repositories/service/moonbeams.test.ts',
    ],
  );
  assert.ok(files.includes('src/model/moonbeam.ts'));
  const unlimited = made('table', 'sunbeams', '--noun', 'service', '--unlimited', 'only the operator writes them');
  const all = ['version-raising', 'contract', 'plans', 'repositories/limits/counts', 'row-limits'].map(
    (name) => `tests/store/${name}.test.ts`,
  );
  // The races that limits-at-once.test.ts needs are not copied.
  holds([...new Set([...files, ...unlimited, ...all])].filter((path) => !path.startsWith('tests/e2e/')));
  const { status, stdout } = node('--test', ...all);
  assert.equal(status, 0, stdout);
  failsAs('tests/store/repositories/service/moonbeams.test.ts', {
    'a written row is read back as it was, on sqlite': /give the table its columns/,
  });
});

test('the folder is that of the operations about the same, and its list stays sorted', {
  skip: sibling === undefined && 'every activity about what others are about is served',
}, () => {
  const folder = folderOf(sibling!.kind)!;
  const files = made('activity', sibling!.kind);
  for (const file of files) assert.ok(file.split('/')[2] === folder, file);
  assert.ok(files.includes(`src/activities/${folder}/index.ts`));
  const list = readFileSync(join(copy, `src/activities/${folder}/index.ts`), 'utf8');
  const names = /= \[([\s\S]*)\]/
    .exec(list)![1]!
    .split(',')
    .flatMap((name) => name.trim() || []);
  assert.deepEqual(names, names.toSorted());
});

test('--dry-run shows all of it and writes nothing', () => {
  const before = everything();
  const { status, stdout } = run('chain', 'dry', '--dry-run');
  assert.equal(status, 0);
  assert.match(stdout, /^--- new: src\/chains\/dry\/address\.ts$[\s\S]*ADDRESS_FORMAT_DRY/m);
  assert.match(stdout, /^--- changed: src\/chains\/index\.ts\n\+ import \{ dryAddress \}/m);
  assert.deepEqual(everything(), before);
});

test('names that are taken or wrong are refused, with what is allowed', () => {
  const before = everything();
  const cases: [string[], RegExp][] = [
    [[], /nothing is none of activity, query, chain, table\n\nusage:/],
    [['wallet', 'x'], /wallet is none of activity/],
    [['activity'], /nothing is not the name of an activity .* npm run new -- activity --list/],
    [['activity', 'CREATE_WALET'], /CREATE_WALET is not the name of an activity .* did you mean CREATE_WALLET\?/],
    [['activity', '../x'], /is not the name of an activity/],
    [['activity', 'CREATE_WALLET'], /CREATE_WALLET is there already: src\/activities\/wallets\/create-wallet\.ts/],
    [['query', 'get_walet'], /did you mean get_wallet\?/],
    [['query', 'get_wallet'], /is there already: src\/queries\/wallets\/get-wallet\.ts/],
    [['chain', 'Solana'], /Solana is no name for a chain: lower case with dashes, such as near/],
    [['chain', '../x'], /is no name for a chain/],
    [['chain', 'solana'], /solana is there already: src\/chains\/solana\/address\.ts/],
    [['table', 'Users'], /Users is no name for a table: lower case with dashes, such as ip-allowlists/],
    [['table', 'policies'], /policies is there already: src\/store\/repositories\/policies\/policies\.ts/],
    [['table', 'sunrays', '--limit', '5'], /with --noun and one of activities, .*credentials, .*service/],
    [['table', 'sunrays', '--noun', 'service'], /give the limit of rows in an organization: --limit 100, or --unlimited/],
    [
      ['table', 'sunrays', '--noun', 'service', '--limit', '0'],
      /give the limit of rows in an organization: --limit 100, or --unlimited/,
    ],
    [['chain', 'a', '--limit', '5'], /--noun, --limit and --unlimited are for table/],
    [['chain', 'a', 'b'], /one name at a time: b is too much/],
    [['chain', 'a', '--list'], /--list and --resource are for activity and query/],
    [['chain', 'a', '--wrong'], /Unknown option '--wrong'/],
  ];
  for (const [args, text] of cases) {
    const { status, stdout, stderr } = run(...args);
    assert.deepEqual([status, stdout], [2, ''], args.join(' '));
    assert.match(stderr, text, args.join(' '));
  }
  const odd = NOT_YET.types.find((type) => /INIT_OTP$|^[A-Z]+_TYPE_OAUTH$/.test(type))?.replace('ACTIVITY_TYPE_', '');
  if (odd) {
    assert.match(run('activity', odd).stderr, /name the resource of .*: --resource and one of .*users, wallets/);
    assert.match(run('activity', odd, '--resource', '../x').stderr, /lower case with dashes/);
  }
  assert.deepEqual(everything(), before);
});
