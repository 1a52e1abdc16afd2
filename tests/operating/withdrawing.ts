/** What withdrawing needs: two chains, a service that can be stopped, and the command. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Hex, parseEther } from 'viem';
import { paymasterAddresses } from '../../src/app/service-keys.ts';
import { readConfig } from '../../src/config.ts';
import { withdraw } from '../../src/operator/withdraw/withdraw.ts';
import { CHAIN } from '../activities/sending/eth-support.ts';
import { startWorld } from '../contracts/support.ts';
import { resultOf } from '../support/client.ts';
import { engineName, freshDatabase, rawSql } from '../support/database.ts';
import type { Armed } from '../support/fail-points.ts';
import { freePort } from '../support/free-port.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startSolanaNode } from '../support/solana-node.ts';

const FAIL_POINTS = fileURLToPath(new URL('../support/fail-points.ts', import.meta.url));
export const SOLANA = 'solana:devnet';
export const TO: Hex = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const SOLANA_TO = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

export const world = await startWorld();
export const solana = await startSolanaNode('devnet');
export const database = await freshDatabase();
export const dataDir = mkdtempSync(join(tmpdir(), 'countersign-'));
export const env = {
  DATA_DIR: dataDir,
  PORT: String(await freePort()),
  RPC_URL_EIP155_31337: world.anvil.url,
  RPC_URL_SOLANA_DEVNET: solana.url,
  GAS_PRICES_USD: `${CHAIN}=3000`,
  ...(database ? { DATABASE_URL: database.url } : {}),
};
export let service: ServiceProcess;
export let from: { eip155: Hex; solana: string };

async function start(): Promise<void> {
  service = await startProcess(env);
  await service.ready();
}

async function stop(): Promise<void> {
  service.child.kill('SIGTERM');
  await service.exited;
}

before(async () => {
  await start();
  const rows = await rawSql(
    { folder: dataDir, url: database?.url },
    'SELECT name, public_key AS "publicKey" FROM service_keys',
    [],
  );
  from = paymasterAddresses(rows as { name: string; publicKey: string }[]) as typeof from;
  await world.admin.setBalance({ address: from.eip155, value: parseEther('10') });
  solana.airdrop(from.solana, 2_000_000_000n);
  const config = { orgWindowLimitUsd: '1000', subOrgWindowLimitUsd: '100', windowDurationMinutes: '60', enabled: true };
  resultOf(await service.root().submit('UPSERT_GAS_USAGE_CONFIG', config), 'upsertGasUsageConfigResult');
});
after(async () => {
  await stop();
  await Promise.all([world.stop(), solana.stop(), database?.drop()]);
  rmSync(dataDir, { recursive: true, force: true });
});

/** Without a service. */
export async function without(work: () => Promise<void>): Promise<void> {
  await stop();
  await work().finally(start);
}

/** As it is to be used on this engine. */
export const asUsual = (work: () => Promise<void>): Promise<void> => (engineName === 'sqlite' ? without(work) : work());

type Run = { child: ChildProcess; err(): string; ended: Promise<{ code: number | null; out: string; err: string }> };

export function begin(args: readonly string[], armed?: Armed): Run {
  const file = join(dataDir, 'fail-point');
  if (armed) writeFileSync(file, JSON.stringify(armed));
  const preload = armed ? ['--import', FAIL_POINTS] : [];
  const child = spawn(process.execPath, [...preload, 'scripts/countersign.mjs', 'chain', 'withdraw', ...args], {
    env: { PATH: process.env.PATH!, ...env, ...(armed ? { FAIL_POINT_FILE: file } : {}) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  return { child, err: () => err, ended: new Promise((done) => child.on('close', (code) => done({ code, out, err }))) };
}

export const run = (...args: string[]) => begin(args).ended;
export const evm = (...more: string[]) => ['--network', CHAIN, '--to', TO, '--yes', ...more];
export const sol = (...more: string[]) => ['--network', SOLANA, '--to', SOLANA_TO, '--yes', ...more];
/** The same in this process, which is quicker. */
export const inProcess = (network: string, amount?: string, atMost?: string, mayBegin = true) =>
  withdraw(readConfig(env), {
    network,
    to: network === CHAIN ? TO : SOLANA_TO,
    amount,
    atMost,
    mayBegin,
    by: 'the tests on this machine',
    now: Date.now(),
    say() {},
    signal: new AbortController().signal,
  });
export const has = (address: Hex) => world.node.getBalance({ address });
export const nonce = () => world.node.getTransactionCount({ address: from.eip155 });
export const lamports = (address: string) => solana.svm.getBalance(address as never) ?? 0n;
export const crash: Armed = { point: 'before broadcast', nth: 1, signal: 'SIGKILL' };
