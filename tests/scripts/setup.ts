// alone: its files set up whole checkouts, and one of them never ended beside files of the runner.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after } from 'node:test';

export type Binary = { name: string; version: string; integrity: string };

interface Runtime {
  runUnder(node: string, args: string[], root: string): Promise<number>;
}
interface Lock {
  lockOf(root: string): string;
  withLock<T>(root: string, work: () => Promise<T>): Promise<T>;
}
interface Packages {
  differences(root: string, dev: boolean): { missing: string[]; other: string[] };
  onlyUnservedOptionals(output: string): boolean;
  ensurePackages(node: string, root: string, dev: boolean): Promise<void>;
}
interface NodeSetup {
  isNewEnough(version: string): boolean;
  binaryPackage(platform: string, arch: string): Binary | undefined;
  fetchNode(root: string, binary: Binary): Promise<string>;
}
interface Services {
  runningServices(root: string): string[];
}
interface Place {
  tidy(root: string, name: string): void;
}

export const SCRIPTS = resolve(import.meta.dirname, '../../scripts');
// By a variable: these files are plain JavaScript, for any Node.js, and have no types.
const load = (name: string) => import(join(SCRIPTS, name));
export const runtime: Runtime = await load('runtime.mjs');
export const lock: Lock = await load('setup/held.mjs');
export const packages: Packages = await load('setup/packages.mjs');
export const node: NodeSetup = await load('setup/node.mjs');
export const services: Services = await load('setup/held.mjs');
export const place: Place = await load('setup/place.mjs');

/** A folder that is gone after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-setup-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Every entry below, with what would tell that it was written or replaced. */
export function everythingIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, stat: statSync(join(folder, name), { throwIfNoEntry: false }) }))
    .map(({ name, stat }) => `${name} ${stat?.ino} ${stat?.size} ${stat?.mtimeMs}`)
    .sort();
}

/** Every file below, in the same way, but for npm's record of what it installed. */
export const filesIn = (folder: string): string[] =>
  everythingIn(folder).filter((entry) => {
    const name = entry.replace(/ \d+ \d+ [\d.]+$/, '');
    return name !== '.package-lock.json' && !lstatSync(join(folder, name)).isDirectory();
  });

/** Announces a service of that process, as src/app/announce.ts does. */
export function announce(root: string, pid: number): string {
  const file = join(root, '.cache/services', `${pid}-${hostname()}`);
  write(file, '');
  return file;
}

/**
 * Takes the place of npm: installs empty packages of the lock file into its working folder, one by one, and then writes its
 * record. With FAKE_NPM=fail it fails after the first one, with FAKE_NPM=hang it goes on for ever there.
 */
const FAKE_NPM = `
const fs = require('node:fs');
fs.appendFileSync(process.env.FAKE_NPM_LOG, JSON.stringify({ pid: process.pid, args: process.argv.slice(2), cwd: process.cwd(), files: fs.readdirSync('.').sort() }) + '\\n');
const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
const dev = process.argv.includes('--include=dev');
fs.rmSync('node_modules', { recursive: true, force: true });
const packages = {};
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || (!dev && entry.dev)) continue;
  fs.mkdirSync(path, { recursive: true });
  fs.writeFileSync(path + '/package.json', JSON.stringify({ version: entry.version }));
  packages[path] = entry;
  if (process.env.FAKE_NPM === 'fail') { console.error('npm error network'); process.exit(1); }
  if (process.env.FAKE_NPM === 'hang') { console.log('hangs'); while (true) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000); }
}
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
`;

/** Makes the set-up of this process, and of those that it starts with this environment, use that npm. */
export function useFakeNpm(folder: string): {
  env: Record<string, string>;
  calls(): { pid: number; args: string[]; cwd: string; files: string[] }[];
} {
  const cli = join(folder, 'npm-cli.cjs');
  write(cli, FAKE_NPM);
  chmodSync(cli, 0o755);
  const log = join(folder, 'npm.log');
  const env = { npm_execpath: cli, FAKE_NPM_LOG: log };
  Object.assign(process.env, env);
  delete process.env.FAKE_NPM;
  return {
    env,
    calls: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
  };
}
