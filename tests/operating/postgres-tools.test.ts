/** Copies that PostgreSQL's own programs make. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { clientOf, ethereumAccount, resultOf } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { isFull } from '../support/full.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-pg-tools-'));
const servers: Postgres[] = [];
after(async () => {
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The embedded server has no pg_dump, so Debian's is used. */
const hasTools = (): boolean =>
  existsSync('/usr/lib/postgresql') &&
  readdirSync('/usr/lib/postgresql').some((version) => existsSync(join('/usr/lib/postgresql', version, 'bin/pg_upgrade')));
const skip =
  engineName === 'sqlite' ? 'about PostgreSQL' : !isFull ? 'with --full' : !hasTools() && 'needs pg_dump and pg_upgrade';

async function started(upgradeOf?: Postgres): Promise<Postgres> {
  const server = await startPostgres({ ofMachine: true, fsync: 'off', ...(upgradeOf && { upgradeOf }) });
  if ('unavailable' in server) throw new Error(server.unavailable);
  servers.push(server);
  return server;
}

const env = (url: string) => ({ DATA_DIR: join(folder, 'data'), DATABASE_URL: url });

/** Runs the service. Returns the text of its quarantine, if it is in one. */
async function start(url: string, use: (service: ServiceProcess) => Promise<void> = async () => {}): Promise<string | undefined> {
  const service = await startProcess(env(url));
  try {
    await service.ready();
    await use(service);
    const { warnings = [] } = (await (await fetch(`${service.url}/ready`)).json()) as {
      warnings?: { code: string; message: string }[];
    };
    return warnings.find(({ code }) => code === 'QUARANTINE')?.message;
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
  }
}

async function ends(url: string, ...args: string[]): Promise<void> {
  const { code, out, err } = await cli(args, { env: env(url) });
  assert.equal(code, 0, err);
  assert.match(out, /the quarantine has ended/);
}

let signWith: string;
/** In a copy, a body must be ahead of the clock for five minutes. */
async function signs(service: ServiceProcess): Promise<void> {
  const root = service.root();
  const ahead = clientOf(root.url, root.keys, root.organizationId, () => Date.now() + 299_950);
  const payload = { payload: '00', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
  resultOf(await ahead.submit('SIGN_RAW_PAYLOAD_V2', { signWith, ...payload }), 'signRawPayloadResult');
}

test('what pg_dump and pg_restore make is a copy, and pg_upgrade a move that is adopted once', { skip }, async () => {
  const server = await started();
  const [original, copied] = [await server.createDatabase(), await server.createDatabase()];
  const made = await start(original, async (service) => {
    const wallet = await service.root().submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
    [signWith] = resultOf(wallet, 'createWalletResult').addresses;
  });
  assert.equal(made, undefined);
  const dump = join(folder, 'dump');
  execFileSync(join(server.bin, 'pg_dump'), ['--format=custom', `--file=${dump}`, original]);
  execFileSync(join(server.bin, 'pg_restore'), ['--exit-on-error', '--no-owner', `--dbname=${copied}`, dump]);
  assert.match((await start(copied))!, /is a copy of the one of the last start \(OID of the database \d+, now \d+/);
  await ends(copied, 'sends', 'release');
  assert.equal(await start(copied, signs), undefined);
  assert.equal(await start(original), undefined, 'the original is none');

  await server.halt();
  const next = await started(server);
  const moved = new URL(next.url);
  moved.pathname = new URL(original).pathname;
  assert.match((await start(moved.href))!, /\(system identifier \d+, now \d+\)/);
  await ends(moved.href, 'instance', 'adopt', '--reason', 'pg_upgrade');
  for (let starts = 0; starts < 2; starts++) assert.equal(await start(moved.href, signs), undefined);
});
