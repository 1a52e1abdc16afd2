import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { startWorld } from '../contracts/support.ts';
import { startInstance } from '../support/instance.ts';

/** `./countersign chain`, beside a service. */
const world = await startWorld();
const settings = {
  RPC_URL_EIP155_31337: world.anvil.url,
  RPC_URL_EIP155_5: 'http://user:hidden@127.0.0.1:9/key',
  GAS_PRICES_USD: 'eip155:31337=2000',
};
const instance = await startInstance(settings);
after(async () => {
  await instance.close();
  await world.stop();
});
const { paymaster } = instance.engine.vault;

async function chain(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const env = {
    PATH: process.env.PATH!,
    DATA_DIR: instance.dataDir,
    ...settings,
    ...(instance.databaseUrl === undefined ? {} : { DATABASE_URL: instance.databaseUrl }),
  };
  const child = spawn(process.execPath, ['scripts/countersign.mjs', 'chain', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out, err };
}

test('show: what is set up, what is missing, and no secret', async () => {
  await world.admin.setBalance({ address: paymaster.address('eip155') as `0x${string}`, value: 5n * 10n ** 15n });
  const { code, out, err } = await chain('show', '--json');
  assert.equal(code, 0, err);
  const { chains } = JSON.parse(out);
  assert.deepEqual(
    chains.map(({ network }: { network: string }) => network),
    ['eip155:31337', 'eip155:5'],
  );
  const [local, gone] = chains;
  assert.equal(local.endpoints.length, 1);
  assert.deepEqual(local.paymaster, { address: paymaster.address('eip155'), balance: '0.005', usd: '10.00', isLow: false });
  assert.deepEqual(local.price, { usd: '2000' });
  assert.deepEqual(local.station, { station: world.station.toLowerCase(), delegate: world.delegate.toLowerCase() });
  assert.match(gone.price.problem, /the price of its coin is unknown/);
  assert.match(gone.station.problem, /no RPC endpoint of eip155:5 answers/);
  await world.admin.setBalance({ address: paymaster.address('eip155') as `0x${string}`, value: 0n });
  const text = await chain('show');
  assert.match(
    text.out,
    /^eip155:31337\n {2}endpoints .*\n {2}paymaster {2}0x[0-9a-f]{40} has 0 coins \(0.00 USD\): low, send coins to it\n/,
  );
  assert.doesNotMatch(out + err + text.out + text.err, /hidden|\/key/);
});

test('deploy-station: existing contracts stay, and mistakes are reported', async () => {
  const done = await chain('deploy-station', '--network', 'eip155:31337');
  assert.deepEqual([done.code, done.err], [0, '']);
  assert.match(
    done.out,
    /^eip155:31337\n {2}delegate {3}0x[0-9a-f]{40}: there already\n {2}station {4}0x[0-9a-f]{40}: there already\n$/,
  );
  const nowhere = await chain('deploy-station');
  assert.deepEqual([nowhere.code, nowhere.err], [2, 'name the network: --network eip155:N; see countersign chain --help\n']);
  const unserved = await chain('deploy-station', '--network', 'eip155:9');
  assert.equal(unserved.code, 2);
  assert.match(unserved.err, /eip155:9 has no RPC endpoint here/);
  assert.equal((await chain('sell')).code, 2);
  assert.equal((await chain()).code, 2);
});

test('the paymaster is the same for all processes, and in no published list', async () => {
  const rows = await instance.engine.store.read.instance.serviceKeys();
  assert.equal(rows.filter(({ name }) => name.startsWith('paymaster-')).length, 2);
  const published = await (await fetch(`${instance.url}/public/v1/discovery/keys`)).text();
  assert.doesNotMatch(published, /paymaster/);
  for (const { name, publicKey } of rows) if (name.startsWith('paymaster-')) assert.ok(!published.includes(publicKey));
});
