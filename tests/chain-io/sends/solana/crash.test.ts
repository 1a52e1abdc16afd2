import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PublicKey } from '@solana/web3.js';
import { resultOf } from '../../../support/client.ts';
import { freshMigrated } from '../../../support/database.ts';
import { type ServiceProcess, startProcess } from '../../../support/process.ts';
import { type SolanaNode, startSolanaNode } from '../../../support/solana-node.ts';
import { FRIEND, idOf, sendOf, solanaAccount, statusOf, TYPE, transaction, transfer, until } from './support.ts';

const FAIL_POINTS = fileURLToPath(new URL('../../../support/fail-points.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'countersign-solana-'));
const armed = join(folder, 'armed');
const database = await freshMigrated(folder);
let node: SolanaNode;
let service: ServiceProcess;
let payer: PublicKey;

const env = () => ({
  DATA_DIR: folder,
  RPC_URL_SOLANA_DEVNET: node.url,
  FAIL_POINT_FILE: armed,
  ...(database ? { DATABASE_URL: database.url } : {}),
});

async function start(): Promise<void> {
  writeFileSync(armed, '');
  service = await startProcess(env(), FAIL_POINTS);
  await service.ready();
}

before(async () => {
  node = await startSolanaNode('devnet');
  await start();
  const made = await service.root().submit('CREATE_WALLET', { walletName: 'Main', accounts: [solanaAccount(0)] });
  payer = new PublicKey(resultOf(made, 'createWalletResult').addresses[0]);
  node.airdrop(payer.toBase58(), 10_000_000_000n);
});
after(async () => {
  service.child.kill('SIGKILL');
  await service.exited;
  await node.stop();
  await database?.drop();
  rmSync(folder, { recursive: true });
});

const balance = () => node.svm.getBalance(FRIEND.toBase58() as never) ?? 0n;
const arm = (point: string) => writeFileSync(armed, JSON.stringify({ point, nth: 1, signal: 'SIGKILL' }));

/** It dies at that point; the next process finds its work in the rows. */
async function diesAndComesBack(): Promise<void> {
  await service.exited;
  assert.ok(existsSync(`${armed}.met`));
  rmSync(`${armed}.met`);
  await start();
}

// On PostgreSQL the next process waits for the lease of the one that died.
const STEPS = database ? ['note-sent'] : ['sign', 'store-signature', 'note-sent', 'broadcast', 'receipt'];

for (const point of STEPS.flatMap((step) => [`before ${step}`, `after ${step}`]))
  test(`killed ${point}: it lands exactly once`, async () => {
    const had = balance();
    arm(point);
    const body = service.root().bodyOf(TYPE, sendOf([payer], transaction({ payer }, transfer(payer, 2_000_000))));
    const send = () => service.root().send('/public/v1/submit/sol_send_transaction', body);
    // It may die before it answers: then the client sends the same body again.
    const answer = await send().catch(() => undefined);
    await diesAndComesBack();
    const id = idOf(answer ?? (await send()));
    await until(service.root(), id, 'INCLUDED');
    assert.equal(balance(), had + 2_000_000n);
    // The next transfer has another blockhash.
    node.advance(151);
  });

for (const point of database ? ['after replace'] : ['before replace', 'after replace'])
  test(`killed ${point}, when a blockhash expired: it lands exactly once`, async () => {
    const had = balance();
    node.lose(1000);
    const id = idOf(await service.root().submit(TYPE, sendOf([payer], transaction({ payer }, transfer(payer, 3_000_000)))));
    await until(service.root(), id, 'BROADCASTING');
    const { solana } = await statusOf(service.root(), id);
    arm(point);
    node.advance(151 + 2 * 33);
    await diesAndComesBack();
    node.lose(0);
    const landed = await until(service.root(), id, 'INCLUDED');
    assert.notEqual(landed.solana.signature, solana.signature);
    assert.equal(balance(), had + 3_000_000n);
    node.advance(151);
  });
