/** A copy of the sources whose bundles are made and run. Where the sources do not matter, they are a few lines. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { bundled, type Manifest } from '../../src/app/bundled.ts';
import { everythingIn, SCRIPTS, temporaryFolder, write } from './setup.ts';

const HERE = resolve(import.meta.dirname, '../..');
const folder = realpathSync(temporaryFolder());
/** As a folder may be called. */
let root = join(folder, "a $& checkout's `copy`");
const inRoot = (...path: string[]) => join(root, ...path);
const bundles = () => inRoot('.cache', 'bundle');
const bundle = () => join(bundles(), 'serve.mjs');

type Ended = { code: number | null; text: string };

/** `until`: what is printed before the process is told to end. */
async function run(args: string[], env: Record<string, string> = {}, until?: string): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const read = (chunk: Buffer) => {
    text += chunk;
    if (until !== undefined && text.includes(until)) child.kill('SIGTERM');
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, text };
}

const make = () => run(['scripts/bundle.ts']);

async function makes(): Promise<void> {
  assert.deepEqual(await make(), { code: 0, text: '' });
}

type Line = { msg: string; runs: string; reason: string };

/** Starts the service and stops it when it is ready. What it says that it runs, why not its bundle, and all that it printed. */
async function start(...flags: string[]): Promise<{ runs: string; warned: string | undefined; text: string }> {
  const env = { DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'info' };
  const { code, text } = await run([...flags, 'src/main.ts'], env, 'Countersign runs on');
  assert.equal(code, 0, text);
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  const said = lines.map((line) => JSON.parse(line) as Line);
  const { runs } = said.find(({ msg }) => msg === 'listening')!;
  return { runs, warned: said.find(({ msg }) => msg.includes('its bundle is not to be run'))?.reason, text };
}

async function runs(what: 'bundle' | 'sources', warned?: RegExp): Promise<void> {
  const started = await start();
  assert.equal(started.runs, what);
  if (warned === undefined) assert.equal(started.warned, undefined);
  else assert.match(started.warned!, warned);
}

/** As `src/main.ts` asks, without a start. */
const isThere = () => assert.equal(bundled(root, 'serve'), bundle());
const isNone = () => assert.equal(bundled(root, 'serve'), undefined);
const isRefused = (why: RegExp) => assert.throws(() => bundled(root, 'serve'), { message: why });

function linkPackages(): void {
  mkdirSync(inRoot('.cache'), { mode: 0o755 });
  mkdirSync(inRoot('node_modules'));
  for (const name of readdirSync(join(HERE, 'node_modules')))
    if (name !== '.package-lock.json') symlinkSync(join(HERE, 'node_modules', name), inRoot('node_modules', name));
  copyFileSync(join(HERE, 'node_modules/.package-lock.json'), inRoot('node_modules/.package-lock.json'));
}

function copy(...names: string[]): void {
  for (const name of names)
    cpSync(join(HERE, name), inRoot(name), { recursive: true, filter: (path) => !path.includes('node_modules') });
  // Whatever umask they were copied with.
  chmodSync(inRoot('src'), 0o755);
}

before(() => {
  copy(
    'src',
    'frames',
    'reference',
    'review',
    'docs',
    'README.md',
    'scripts',
    'openapi',
    'console',
    'contracts',
    'package.json',
    'tsconfig.json',
  );
  linkPackages();
});

test('without a bundle, the sources run', async () => {
  await runs('sources');
});

test('the bundles are made, with the frames and the reference', async () => {
  const file = inRoot('src/serve.ts');
  const named =
    "import { ApiError } from './base/errors.ts';\nprocess.once('SIGTERM', () => console.log('named', ApiError.name));\n";
  appendFileSync(file, `\n${named}`);
  await makes();
  const others = readdirSync(bundles()).filter((name) => !name.startsWith('cli-'));
  assert.deepEqual(others.sort(), ['cli.json', 'frames.json', 'manifest.json', 'reference.json', 'serve.mjs']);
  isThere();
});

/** Prints at the end how many modules were loaded. */
const COUNTING = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  let modules = 0;
  registerHooks({ load: (url, context, next) => { modules += url.startsWith('node:') ? 0 : 1; return next(url, context); } });
  process.on('exit', () => console.log('modules: ' + modules + ', fetch: ' + process.moduleLoadList.some((name) => name.endsWith(' internal/deps/undici/undici'))));
`)}`;
const countIn = (text: string) => Number(/modules: (\d+)/.exec(text)?.[1]);

test('the service runs the bundle, and loads few files; classes have the names that they have in the sources', async () => {
  const { runs: what, text } = await start(`--import=${COUNTING}`);
  assert.equal(what, 'bundle');
  assert.ok(countIn(text) < 100, `${countIn(text)} modules: each costs half a millisecond of a start`);
  assert.match(text, /fetch: false/, 'what fetch() needs takes a twentieth of a start');
  assert.match(text, /^named ApiError$/m);
});

test('a bundle of the present sources is left as it is, wherever their folder is moved', async () => {
  const before = everythingIn(bundles());
  const made = await run([`--import=${COUNTING}`, 'scripts/bundle.ts']);
  assert.equal(made.code, 0);
  assert.ok(countIn(made.text) < 20, `${countIn(made.text)} modules: what makes a part is loaded only to make it`);
  const moved = join(folder, 'moved');
  renameSync(root, moved);
  root = moved;
  await makes();
  assert.deepEqual(everythingIn(bundles()), before);
  await runs('bundle');
});

test('a command runs the bundle in its own process, and loads few files', async () => {
  const counted = (...args: string[]) => run([`--import=${COUNTING}`, 'scripts/countersign.mjs', ...args]);
  const helped = await counted('help');
  assert.match(helped.text, /^Usage: countersign COMMAND/);
  assert.ok(countIn(helped.text) < 50, `${countIn(helped.text)} modules`);
  const policies = inRoot('policies.yaml');
  write(policies, "policies:\n  - name: one\n    effect: ALLOW\n    consensus: approvers.any(user, user.id == 'ann')\n");
  const checked = await counted('policy', 'check', policies);
  assert.equal(checked.code, 0, checked.text);
  assert.ok(countIn(checked.text) < 200, `${countIn(checked.text)} modules`);
  const wrong = await counted('nothing');
  assert.equal(wrong.code, 2);
  assert.match(wrong.text, /^unknown command "nothing"/);
});

test('the log names a bundle that was cut off, and the sources run', async () => {
  const content = readFileSync(bundle());
  writeFileSync(bundle(), content.subarray(0, -1));
  await runs('sources', /serve\.mjs is damaged$/);
});

/** A file that runs as each of two programs, and says of what it was made. */
const SMALL = {
  'src/serve.ts': `import { word } from './app/word.ts';
    export const run = async (runs) => console.log(JSON.stringify({ msg: 'listening', word, ...runs }));\n`,
  'src/app/word.ts': "export const word = 'first';\n",
  'src/cli/run.ts': `export async function main([name]) {
      const { word } = name === 'nothing' ? { word: '' } : await import('../app/word.ts');
      console.log('command', word, new Error().stack.includes('.cache/bundle/'));
    }\n`,
  'src/cli.ts': "import { main } from './cli/run.ts';\nawait main(process.argv.slice(2));\n",
  'scripts/bundle-frames.ts': 'export const makeFrames = async () => {};\n',
  'scripts/bundle-reference.ts': 'export const makeReference = async () => {};\n',
};
const word = () => inRoot('src/app/word.ts');
type Said = { runs: string; word: string; notBundle?: string };
const service = async () => JSON.parse((await run(['src/main.ts'])).text) as Said;
const command = async (name = 'word') => (await run(['scripts/countersign.mjs', name])).text;

test('from here on, the sources are a few lines', async () => {
  root = join(folder, 'small');
  copy('scripts', 'src/main.ts', 'src/app/bundled.ts', 'src/app/young-generation.ts', 'package.json', 'tsconfig.json');
  for (const [path, text] of Object.entries(SMALL)) write(inRoot(path), text);
  write(inRoot('package-lock.json'), '{}');
  linkPackages();
  await makes();
  isThere();
});

test('two makers at once make one', async () => {
  rmSync(bundles(), { recursive: true });
  await Promise.all([makes(), makes()]);
  isThere();
  assert.equal(await command(), 'command first true\n');
});

test('a command warns of packages that are not those of the lock file, and names missing ones', async () => {
  const locked = (name: string) => JSON.stringify({ packages: { [`node_modules/${name}`]: { version: '999.0.0' } } });
  write(inRoot('package-lock.json'), locked('zod'));
  const warned = await command('nothing');
  assert.match(warned, /^countersign: packages are not those of package-lock\.json \(zod\); going on with them/m);
  assert.match(warned, /^command {2}false$/m);
  write(inRoot('package-lock.json'), locked('is-nowhere'));
  assert.match(await command('nothing'), /^countersign: packages are missing \(is-nowhere\): run `npm start` once, or [^\n]*\n$/);
  write(inRoot('package-lock.json'), '{}');
  assert.equal(await command('nothing'), 'command  true\n');
});

test('a change of a source counts, be it of the same size and time', async () => {
  const { atime, mtime } = statSync(word());
  for (const changed of ['other', 'third']) {
    writeFileSync(word(), `export const word = '${changed}';\n`);
    utimesSync(word(), atime, mtime);
    assert.deepEqual(await service(), { msg: 'listening', word: changed, runs: 'sources' });
    assert.equal(await command(), `command ${changed} false\n`);
    await makes();
    assert.deepEqual(await service(), { msg: 'listening', word: changed, runs: 'bundle' });
    assert.equal(await command(), `command ${changed} true\n`);
  }
});

test('a new bundle of commands leaves the files of the last one, and none before that', async () => {
  const commands = () => readdirSync(bundles()).filter((name) => /^cli-/.test(name));
  const versions: string[][] = [];
  for (const text of ['fourth', 'fifth', 'sixth']) {
    writeFileSync(word(), `export const word = '${text}';\n`);
    await makes();
    versions.push((JSON.parse(readFileSync(join(bundles(), 'cli.json'), 'utf8')) as Manifest).files);
  }
  const [, last, newest] = versions;
  assert.deepEqual(commands().sort(), [...new Set([...last!, ...newest!])].sort());
  assert.ok(commands().length > newest!.length);
});

test('a file of a command that is damaged or gone is not run, and made again', async () => {
  const { files } = JSON.parse(readFileSync(join(bundles(), 'cli.json'), 'utf8')) as Manifest;
  const [first, other] = files.map((name) => join(bundles(), name));
  for (const spoil of [() => appendFileSync(other!, '\n'), () => rmSync(other!), () => writeFileSync(first!, '')]) {
    spoil();
    assert.equal(await command('nothing'), 'command  false\n');
    await makes();
    assert.equal(await command('nothing'), 'command  true\n');
  }
});

test('so do other packages, settings of TypeScript, and another way to make it', async () => {
  for (const name of ['node_modules/.package-lock.json', 'package.json', 'tsconfig.json', 'scripts/bundle.ts']) {
    const text = readFileSync(inRoot(name));
    appendFileSync(inRoot(name), '\n');
    isNone();
    writeFileSync(inRoot(name), text);
    isThere();
  }
});

test('a source that is gone counts too', async () => {
  const [manifest, content] = [join(bundles(), 'manifest.json'), readFileSync(join(bundles(), 'manifest.json'), 'utf8')];
  const { sources, ...more } = JSON.parse(content) as Manifest;
  writeFileSync(manifest, JSON.stringify({ ...more, sources: [...sources, 'src/gone.ts'] }));
  isNone();
  writeFileSync(manifest, content);
});

test('a bundle that was cut off is not run, and is made again', async () => {
  writeFileSync(bundle(), readFileSync(bundle()).subarray(0, -1));
  const { runs: what, notBundle } = await service();
  assert.equal(what, 'sources');
  assert.match(notBundle!, /serve\.mjs is damaged$/);
  await makes();
  isThere();
  writeFileSync(join(bundles(), 'manifest.json'), '{');
  isRefused(/manifest\.json cannot be read: /);
  await makes();
  isThere();
});

test('where others may write the folders, there is none, and its maker says so', async () => {
  async function isNoPlace(why: RegExp): Promise<void> {
    appendFileSync(inRoot('tsconfig.json'), '\n');
    const { code, text } = await make();
    assert.equal(code, 1);
    assert.match(text, /^countersign: the bundle is not made \([^\n]*\n$/);
    assert.match(text, why);
    isRefused(why);
    assert.equal(await command('nothing'), 'command  false\n');
  }
  for (const path of [inRoot('.cache'), bundles()]) {
    chmodSync(path, 0o777);
    await isNoPlace(/others may write .*, who may not write the sources/);
    chmodSync(path, 0o755);
    if (process.getuid?.() === 0) {
      chownSync(path, 65534, 0);
      await isNoPlace(/belongs to another user than the sources/);
      chownSync(path, 0, 0);
    }
  }
  renameSync(bundles(), join(folder, 'bundles'));
  symlinkSync(join(folder, 'bundles'), bundles());
  await isNoPlace(/ is no folder/);
  rmSync(bundles());
  await makes();
  isThere();
});

test('a bundle that cannot be loaded is none', async () => {
  const file = inRoot('src/serve.ts');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, `${text}\nif (!process.argv[1]?.endsWith('main.ts')) throw new Error('not in its maker');\n`);
  const { code, text: said } = await make();
  assert.equal(code, 1);
  assert.match(said, /^countersign: the bundle is not made \(not in its maker\)/);
  isNone();
  writeFileSync(file, text);
  isThere();
});

test('what a bundle cannot be made of is said, and the sources run', async () => {
  const text = readFileSync(word(), 'utf8');
  write(inRoot('src/app/other.json'), '1');
  const wrong: [source: string, said: RegExp][] = [
    ['export const own = () => import.meta.filename;', /word\.ts: of import\.meta, a bundle knows url and dirname alone/],
    ["import one from './other.json' with { type: 'json' };\none;", /other\.json: of our own, a bundle has TypeScript alone/],
    ["import one from './nowhere.ts';\none;", /src\/app\/word\.ts:\d+: Could not resolve/],
  ];
  for (const [source, said] of wrong) {
    writeFileSync(word(), `${text}\n${source}\n`);
    const made = await make();
    assert.equal(made.code, 1);
    assert.match(made.text, /^countersign: the bundle is not made \([^\n]*\n$/);
    assert.match(made.text, said);
  }
  writeFileSync(word(), `${text}\nexport const page = \`\nclass Paragraph {}\n\`;\n`);
  await makes();
  assert.equal((await service()).runs, 'bundle');
});

test('where it cannot be kept, the sources run', async () => {
  rmSync(bundles(), { recursive: true });
  writeFileSync(bundles(), '');
  const { code, text } = await make();
  assert.equal(code, 1);
  assert.match(text, /^countersign: the bundle is not made \(E(?:EXIST|NOTDIR)[^\n]*\n$/);
  assert.equal((await service()).runs, 'sources');
});

test('set-up gives its maker none of the settings', async () => {
  const fake = join(folder, 'fake');
  write(
    join(fake, 'scripts/bundle.ts'),
    "import { writeFileSync } from 'node:fs';\nwriteFileSync('env.json', JSON.stringify(process.env));\n",
  );
  const setup = `
    process.chdir(${JSON.stringify(fake)});
    const { ensureBundle } = await import(${JSON.stringify(join(SCRIPTS, 'setup/bundle.mjs'))});
    await ensureBundle(process.execPath, ${JSON.stringify(fake)});`;
  const env = { ROOT_PASSPHRASE: 'a secret', DATABASE_URL: 'postgres://user:secret@host/', NODE_OPTIONS: '--no-warnings' };
  assert.deepEqual(await run(['--input-type=module', '-e', setup], env), { code: 0, text: '' });
  const seen = Object.keys(JSON.parse(readFileSync(join(fake, 'env.json'), 'utf8')) as object);
  assert.ok(seen.includes('PATH'));
  assert.deepEqual(
    seen.filter((name) => name in env || name === 'HOME'),
    [],
  );
});
