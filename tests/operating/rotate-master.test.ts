import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cli } from '../support/cli.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshDatabase, plainSql } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'countersign-rotate-master-'));
const database = await freshDatabase();
const env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const SIGNERS = amount(4, 10, 50);
const KILLS = amount(2, 3, 20);
/** Between two signatures of a signer. */
const PAUSE_MS = amount(100, 20);
const next = seeded(Number(process.env.TEST_SEED ?? 1));
const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));
const sql = (text: string, parameters: unknown[] = []) => plainSql({ folder: dataDir, url: database?.url }, text, parameters);

const payload = { payload: '00', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };

/** Signs with these addresses until it is told to stop. A refusal counts; a service that was killed does not. */
function signing(service: () => ServiceProcess, addresses: readonly string[]) {
  const refusals: string[] = [];
  let [stopped, signed] = [false, 0];
  const run = async (signWith: string) => {
    while (!stopped) {
      const answer = await service()
        .root()
        .submit('SIGN_RAW_PAYLOAD_V2', { signWith, ...payload })
        .catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      if (answer === undefined) continue;
      if (answer.status === 200 && answer.body.activity.status === 'ACTIVITY_STATUS_COMPLETED') signed++;
      else refusals.push(answer.text);
    }
  };
  const running = Promise.all(Array.from({ length: SIGNERS }, (_, i) => run(addresses[i % addresses.length]!)));
  return async () => {
    stopped = true;
    await running;
    assert.deepEqual(refusals, []);
    assert.ok(signed > 0);
  };
}

/** Runs the command in a process of its own. `kill`: ends it with SIGKILL after this number of milliseconds. */
async function rotate(kill?: number): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [CLI, 'custody', 'rotate-master', '--json'], { env: { PATH: process.env.PATH, ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  const timer = kill === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), kill);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code, out, err };
}

const status = async () => JSON.parse((await cli(['custody', 'status', '--json'], { env })).out);

/** Every value of every table that begins as one under this version does. */
async function under(version: number): Promise<string[]> {
  const header = Buffer.alloc(5, 0);
  const found: string[] = [];
  for (const [table, column, kind] of (await holding()) as [string, string, string][])
    for (const row of await sql(`SELECT ${column} AS v FROM ${table}`)) {
      const value = row.v as Buffer | string | null;
      const bytes =
        typeof value === 'string' ? (value.startsWith('sealed:') ? Buffer.from(value.slice(7), 'base64') : undefined) : value;
      const sealed = kind === 'body' && bytes?.[0] === 1 ? bytes.subarray(bytes.indexOf(0x0a) + 1) : bytes;
      header.writeUInt8(1, 0);
      header.writeUInt32BE(version, 1);
      if (sealed?.subarray(0, 5).equals(header)) found.push(`${table}.${column}`);
    }
  return found;
}

async function holding(): Promise<[string, string, string][]> {
  const { holdingColumns } = await import('../../src/store/sealed/places.ts');
  return holdingColumns()
    .filter(({ table, holds }) => holds !== 'hash' && !(table.startsWith('archived') && engineName === 'sqlite'))
    .map(({ table, column, holds }) => [table, column, holds]);
}

test('a master key is rotated under signers and kills: every key opens, no signature fails, and the old version is refused', async () => {
  let service = await startProcess(env);
  await service.ready();
  const { root } = { root: service.root() };
  const addresses: string[] = [];
  for (let i = 0; i < 6; i++) {
    const wallet = await root.submit('CREATE_WALLET', { walletName: `W${i}`, accounts: [ethereumAccount()] });
    addresses.push(resultOf(wallet, 'createWalletResult').addresses[0]);
  }
  const planted = (await sql("SELECT organization_id, id, sealed FROM secrets WHERE purpose = 'account-key'"))[0]!;
  assert.ok((await under(1)).length > 12);
  const dry = await cli(['custody', 'rotate-master', '--dry-run', '--json'], { env });
  assert.deepEqual(JSON.parse(dry.out).version, 2, dry.err);

  const end = signing(() => service, addresses);
  for (let kill = 0; kill < KILLS; kill++) {
    const at = 300 + next(engineName === 'postgres' ? 10_000 : 2_000);
    if (engineName === 'sqlite' && kill % 2 === 1) {
      // The service does the work there: it is killed in its midst.
      const running = rotate();
      await new Promise((resolve) => setTimeout(resolve, at));
      service.child.kill('SIGKILL');
      await service.exited;
      // A command that finds no service does the work itself, and has the database then.
      await running;
      service = await startProcess({ ...env, PORT: new URL(service.url).port });
      await service.ready();
    } else await rotate(at);
    // Wallets are made all the time.
    const wallet = await service.root().submit('CREATE_WALLET', { walletName: `K${kill}`, accounts: [ethereumAccount()] });
    addresses.push(resultOf(wallet, 'createWalletResult').addresses[0]);
  }
  const { code, err } = await rotate();
  assert.equal(code, 0, err);
  await end();
  const { masterKeys, unfinished } = await status();
  assert.equal(unfinished, false);
  const live = masterKeys.filter((key: { state: string }) => key.state === 'live');
  assert.equal(live.length, 1);
  const newest = live[0].version;
  for (let version = 1; version < newest; version++) assert.deepEqual(await under(version), [], `version ${version}`);

  const each = async () => {
    for (const signWith of addresses)
      resultOf(await service.root().submit('SIGN_RAW_PAYLOAD_V2', { signWith, ...payload }), 'signRawPayloadResult');
  };
  await each();
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
  service = await startProcess(env);
  await service.ready();
  await each();
  const [now] = await sql('SELECT sealed FROM secrets WHERE organization_id = $1 AND id = $2', [
    planted.organization_id,
    planted.id,
  ]);
  const put = (sealed: unknown) =>
    sql('UPDATE secrets SET sealed = $1 WHERE organization_id = $2 AND id = $3', [sealed, planted.organization_id, planted.id]);
  await put(planted.sealed);
  const answers = await Promise.all(
    addresses.map((signWith) => service.root().submit('SIGN_RAW_PAYLOAD_V2', { signWith, ...payload })),
  );
  assert.equal(answers.filter((answer) => answer.status === 500).length, 1, 'the row under the retired version alone');
  assert.match(service.output(), /master key version 1, which (is retired|this process does not have)/);
  await put(now!.sealed);
  service.child.kill('SIGTERM');
  await service.exited;
});
