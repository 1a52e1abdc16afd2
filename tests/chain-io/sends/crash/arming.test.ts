import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ethereumAccount, resultOf } from '../../../support/client.ts';
import { startProcess } from '../../../support/process.ts';
import { waitFor } from '../../../support/wait.ts';
import { startChain } from './chain.ts';
import { FAIL_POINTS } from './model.ts';

/** The environment alone arms nothing: the parent process must load the module that meets fail-points. */
test('no setting arms a fail-point', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-unarmed-'));
  const chain = await startChain();
  const file = join(folder, 'fail-point');
  writeFileSync(file, JSON.stringify({ point: 'before store', nth: 1, signal: 'SIGKILL' }));
  const names = ['FAIL_POINT_FILE', 'FAIL_POINTS', 'FAIL_POINT', 'COUNTERSIGN_FAIL_POINTS'];
  const env = Object.fromEntries(names.map((name) => [name, name === 'FAIL_POINT_FILE' ? file : FAIL_POINTS.join(',')]));
  const service = await startProcess({ ...env, DATA_DIR: folder, RPC_URL_EIP155_31337: chain.url, NODE_ENV: 'test' });
  try {
    await service.ready();
    const root = service.root();
    const wallet = await root.submit('CREATE_WALLET', { walletName: 'Sends', accounts: [ethereumAccount()] });
    const [from] = resultOf(wallet, 'createWalletResult').addresses;
    await chain.fund(from);
    const to = '0x00000000000000000000000000000000000000aa';
    const sent = await root.submit('ETH_SEND_TRANSACTION', { from, to, caip2: 'eip155:31337', value: '1' });
    const { sendTransactionStatusId } = resultOf(sent, 'ethSendTransactionResult');
    await waitFor('it is in a block', async () => {
      const { txStatus } = (await root.query('get_send_transaction_status', { sendTransactionStatusId })).body;
      assert.notEqual(txStatus, 'FAILED');
      return txStatus === 'INCLUDED';
    });
    assert.equal(service.child.exitCode, null);
  } finally {
    service.child.kill('SIGKILL');
    await service.exited;
    await chain.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
