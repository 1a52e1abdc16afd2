import { after, test } from 'node:test';
import type { PublicKey } from '@solana/web3.js';
import { startSolanaNode } from '../../support/solana-node.ts';
import { waitFor } from '../../support/wait.ts';
import { CAIP2, scanningSolana } from './solana-support.ts';

/** It never has another block. */
const stuck = await startSolanaNode('devnet');
after(() => stuck.stop());
const { instance, node, give, coins, newAccount } = await scanningSolana({}, [stuck.url]);
const { root, engine } = instance;

const rowsOf = (address: PublicKey) =>
  engine.store.read.scannedTransactions.page(
    { organizationId: root.organizationId, caip2: CAIP2, address: address.toBase58() },
    { limit: 1000 },
  );

test('an endpoint that is stuck does not keep transactions from being final', async () => {
  const address = await newAccount();
  await give(coins(address, 2_000_000n));
  node.advance(40);
  await waitFor('a final row', async () => (await rowsOf(address))[0]?.finalized === true);
});
