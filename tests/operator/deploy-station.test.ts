import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestClient, http } from 'viem';
import { foundry } from 'viem/chains';
import { CREATE2_FACTORY } from '../../src/chains/ethereum/gas-station-deployment.ts';
import { readConfig } from '../../src/config.ts';
import { deployStation } from '../../src/operator/deploy-station.ts';
import { addresses, fixture } from '../contracts/support.ts';
import { startAnvil } from '../support/anvil.ts';

const anvil = await startAnvil();
const dataDir = mkdtempSync(join(tmpdir(), 'countersign-deploy-'));
after(async () => {
  await anvil.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const admin = createTestClient({ chain: foundry, mode: 'anvil', transport: http(anvil.url) });
const NETWORK = 'eip155:31337';
/** Of anvil's first account, which has coins. */
const RICH = Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex');
const POOR = Buffer.alloc(32, 7);

const configOf = (more: Record<string, string> = {}) =>
  readConfig({ DATA_DIR: dataDir, RPC_URL_EIP155_31337: anvil.url, RPC_URL_SOLANA_DEVNET: 'http://127.0.0.1:1', ...more });

const said: string[] = [];
const run = (more: Partial<Parameters<typeof deployStation>[1]> = {}, env: Record<string, string> = {}) =>
  deployStation(configOf(env), {
    network: NETWORK,
    key: RICH,
    plain: false,
    dryRun: false,
    say: (line) => void said.push(line),
    ...more,
  });
const states = ({ contracts }: Awaited<ReturnType<typeof run>>) => contracts.map(({ name, state }) => `${name} ${state}`);

test('the network must be a served EVM chain', async () => {
  await assert.rejects(run({ network: 'eip155:9' }), /eip155:9 has no RPC endpoint here: set RPC_URL_EIP155_9/);
  await assert.rejects(run({ network: 'nonsense' }), /has no RPC endpoint/);
  await assert.rejects(run({ network: 'solana:devnet' }), /solana:devnet needs no gas station/);
});

test('a node that does not answer is said in a sentence', async () => {
  const silent = { RPC_URL_EIP155_31337: 'http://127.0.0.1:1' };
  await assert.rejects(run({}, silent), {
    name: 'CommandFailed',
    message: /^no RPC endpoint of eip155:31337 answers: 127\.0\.0\.1:1: .*\. Run the same command again/,
  });
});

test('without the factory nothing is deployed, unless by plain transactions', async () => {
  await assert.rejects(run(), /has no Immutable CREATE2 factory at 0x0000000000FFe8B.*--plain/);
  const dry = await run({ plain: true, dryRun: true });
  assert.deepEqual(dry.contracts, [
    { name: 'delegate', address: null, state: 'missing', transaction: null },
    { name: 'station', address: null, state: 'missing', transaction: null },
  ]);
  assert.equal(dry.setting, null);
  const done = await run({ plain: true });
  assert.deepEqual(states(done), ['delegate deployed', 'station deployed']);
  const [delegate, station] = done.contracts.map(({ address }) => address);
  assert.equal(done.setting, `GAS_STATIONS=${NETWORK}=${station}/${delegate}`);
  const env = { GAS_STATIONS: done.setting!.slice('GAS_STATIONS='.length) };
  assert.deepEqual(states(await run({ key: undefined }, env)), ['delegate there', 'station there']);
  const wrong = { GAS_STATIONS: `${NETWORK}=${delegate}/${station}` };
  await assert.rejects(run({}, wrong), /GAS_STATIONS names other contracts .* is not a gas station of the delegate/);
});

test('a dry run says what is missing and what it costs, and sends nothing', async () => {
  await admin.setCode({ address: CREATE2_FACTORY, bytecode: fixture('Factory').deployedBytecode });
  const dry = await run({ key: undefined, dryRun: true });
  assert.deepEqual(states(dry), ['delegate missing', 'station missing']);
  assert.ok(Number(dry.costAtMost) > 0);
  assert.deepEqual(await run({ key: undefined, dryRun: true }), dry);
});

test('the payer must be set, and have enough coins', async () => {
  await assert.rejects(run({ key: undefined }), /no account pays: set DEPLOYER_KEY_FILE .* up to 0\.\d+ coins on eip155:31337/);
  await assert.rejects(run({ key: POOR }), /0x[0-9a-f]{40} has 0 coins on eip155:31337, and needs up to 0\.\d+\. Send it coins/);
});

test('missing contracts are deployed, at the addresses of the artefacts, and existing ones stay', async () => {
  const done = await run();
  assert.deepEqual(states(done), ['delegate deployed', 'station deployed']);
  assert.deepEqual(
    done.contracts.map(({ address }) => address),
    [addresses.delegate.address.toLowerCase(), addresses.station.address.toLowerCase()],
  );
  assert.equal(done.setting, null);
  for (const { transaction } of done.contracts) assert.match(transaction!, /^0x[0-9a-f]{64}$/);
  assert.ok(said.includes('deploying the station …'));
  const again = await run({ key: undefined });
  assert.deepEqual(states(again), ['delegate there', 'station there']);
  assert.equal(again.deployer, null);
});

test('of what is there nothing is missing', async () => {
  await admin.setCode({ address: addresses.station.address, bytecode: '0x' });
  const dry = await run({ dryRun: true });
  assert.deepEqual(states(dry), ['delegate there', 'station missing']);
});

test('a deployment that is not in a block in time is told, and the next run waits for it', async () => {
  await admin.setAutomine(false);
  try {
    await assert.rejects(run({ plain: true, patienceMs: 1000 }), /was sent but not mined within 1 seconds/);
    await assert.rejects(run({ plain: true, patienceMs: 1000 }), /is pending: run the same command again/);
  } finally {
    await admin.mine({ blocks: 1 });
    await admin.setAutomine(true);
  }
});

test('the key is a setting, in the environment or a file, and is never told', async () => {
  const { deployerKey, SETTINGS, withoutSecrets } = await import('../../src/config.ts');
  const file = join(dataDir, 'deployer.key');
  writeFileSync(file, `0x${RICH.toString('hex')}\n`);
  assert.deepEqual(deployerKey({ DEPLOYER_KEY_FILE: file }), RICH);
  assert.deepEqual(deployerKey({ DEPLOYER_KEY: RICH.toString('hex') }), RICH);
  assert.equal(deployerKey({}), undefined);
  for (const wrong of ['x', '00'.repeat(32), 'ff'.repeat(32), `${'1'.repeat(63)}`])
    assert.throws(
      () => deployerKey({ DEPLOYER_KEY: wrong }),
      (error: Error) => !error.message.includes(wrong) || wrong === 'x',
    );
  assert.ok(SETTINGS.includes('DEPLOYER_KEY_FILE'));
  assert.doesNotMatch(JSON.stringify(withoutSecrets(configOf({ DEPLOYER_KEY: RICH.toString('hex') }))), /ac0974/);
});
