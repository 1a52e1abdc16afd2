import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '../../support/wait.ts';
import { CAIP2, scanningSolana } from './solana-support.ts';

const { instance, give, coins, newAccount, unwatchedAccount, listen, told, delivered } = await scanningSolana({
  SCAN_SOLANA_ADDRESSES: '2',
});

test('addresses above the number that may be watched are counted, and have no events', async () => {
  await listen(instance.root, '/root');
  const watched = [await newAccount(), await newAccount()];
  const third = await unwatchedAccount();
  const leftOut = new RegExp(`^countersign_scan_left_out_addresses{[^}]*${CAIP2}[^}]*} 1$`, 'm');
  const metrics = async () => (await fetch(`${instance.url}/metrics`)).text();
  await waitFor('the count', async () => leftOut.test(await metrics()));
  for (const address of [third, ...watched]) await give(coins(address, 2_000_000n));
  await delivered();
  assert.deepEqual(
    told('/root')
      .map(({ msg }) => msg.address)
      .sort(),
    watched.map((address) => address.toBase58()).sort(),
  );
  assert.equal(await instance.engine.store.read.scan.address(CAIP2, third.toBase58()), undefined);
});
