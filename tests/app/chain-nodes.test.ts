import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAnvil } from '../support/anvil.ts';
import { startInstance } from '../support/instance.ts';
import { startSolanaNode } from '../support/solana-node.ts';

test('the service serves the networks that its settings name, and ends what is under way when it stops', async () => {
  const anvil = await startAnvil();
  after(() => anvil.stop());
  const cluster = await startSolanaNode('mainnet');
  after(() => cluster.stop());
  const instance = await startInstance({ RPC_URL_EIP155_31337: anvil.url, RPC_URLS: `solana:mainnet=${cluster.url}` });
  const { nodes } = instance.engine;
  assert.deepEqual(nodes.networks, ['eip155:31337', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp']);
  const evm = nodes.chainNode('eip155:31337');
  assert.ok(evm?.kind === 'eip155' && (await evm.prices()).kind === 'eip1559');
  const solana = nodes.chainNode('solana:mainnet');
  assert.ok(solana?.kind === 'solana' && (await solana.blockHeights('confirmed')).known > 0n);
  for (const other of ['eip155:1', 'solana:devnet', 'nonsense']) assert.equal(nodes.chainNode(other), undefined);
  await instance.close();
  await assert.rejects(evm.balance('0x0000000000000000000000000000000000000001'), /stopped/);
});
