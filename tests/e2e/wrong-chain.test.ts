/** The service behind an RPC URL of another network, and behind one that does not answer. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startAnvil } from '../support/anvil.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshMigrated } from '../support/database.ts';
import { startProcess } from '../support/process.ts';
import { refused } from '../support/refusals.ts';
import { startLiar } from '../support/rpc-liar.ts';
import { waitFor } from '../support/wait.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'countersign-chain-'));
const database = await freshMigrated(dataDir);
const anvil = await startAnvil();
const other = await startLiar(anvil.url);
after(async () => {
  await other.stop();
  await anvil.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

test(`an RPC URL of another network is told at the start, at /ready, and to clients, on ${engineName}`, async () => {
  const service = await startProcess({
    DATA_DIR: dataDir,
    ...(database ? { DATABASE_URL: database.url } : {}),
    RPC_URL_EIP155_1: anvil.url,
    RPC_URL_EIP155_5: 'http://127.0.0.1:9',
    RPC_URL_EIP155_31337: `${anvil.url},${other.url}`,
  });
  await service.ready();
  const lines = () =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const ready = async () => (await fetch(`${service.url}/ready`)).json() as Promise<{ warnings?: object[] }>;
  const { warnings } = await waitFor('/ready says it', async () => {
    const body = await ready();
    return body.warnings !== undefined && body;
  });
  const message =
    'RPC endpoint eip155:1 #1 belongs to another network and is not used: correct the setting of its URL. The log has details';
  assert.deepEqual(warnings, [{ code: 'WRONG_CHAIN', message }]);
  const of = async (network: string) =>
    waitFor(`the log tells of ${network}`, () => lines().find((line) => line.network === network));
  const wrong = await of('eip155:1');
  assert.deepEqual([wrong.endpoint, wrong.trouble], [new URL(anvil.url).host, 'wrong chain']);
  assert.match(JSON.stringify(wrong), /answers for chain 31337, not 1.* correct its setting/);
  assert.doesNotMatch(JSON.stringify(await of('eip155:5')), /other endpoints are used/);

  const root = service.root();
  const wallet = { walletName: 'Wallet', accounts: [ethereumAccount()] };
  const [from] = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
  const parameters = { from, caip2: 'eip155:1', calls: [{ to: from, value: '0' }] };
  const answer = await root.submit('ETH_SEND_TRANSACTION_V2', parameters);
  refused(answer, [
    503,
    'UNAVAILABLE',
    /^every RPC endpoint of eip155:1 belongs to another network: the operator .* must correct/,
  ]);
  const failed = await root.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] });
  assert.deepEqual(failed.body.activities, []);

  await other.stop();
  const { status } = await root.query('get_nonces', { address: from, caip2: 'eip155:31337', nonce: true });
  assert.equal(status, 200);
  assert.match(JSON.stringify(await of('eip155:31337')), /other endpoints are used first/);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
});
