import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startChain } from './chain.ts';

const ROUNDS = 20;
const SENDERS = 4;
const EACH = 6;

test('blocks fall out while transactions arrive, and no transaction is in two of them, and none of them is missing', async () => {
  const chain = await startChain();
  try {
    const found: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const senders = Array.from({ length: SENDERS }, () => privateKeyToAccount(generatePrivateKey()));
      for (const { address } of senders) await chain.fund(address);
      for (let i = 0; i < 4; i++) await chain.mine();
      const from = await chain.height();
      let isOver = false;
      const sent = senders.map(async (sender) => {
        for (let nonce = 0; nonce < EACH; nonce++) {
          const fees = { gas: 100_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
          const to = sender.address;
          const raw = await sender.signTransaction({ type: 'eip1559', chainId: 31337, to, nonce, ...fees });
          // An earlier transaction may have fallen out of its block: then this one waits for ever.
          await chain.ask('eth_sendRawTransaction', raw);
          await sleep(Math.random() * 20);
        }
      });
      const sending = Promise.all(sent).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await sleep(Math.random() * 20);
        await chain.reorganize(1 + Math.floor(Math.random() * 3));
      }
      await sending;
      const seen = new Set<string>();
      for (let number = from + 1; number <= (await chain.height()); number++) {
        const block = await chain.ask<{ transactions: string[] } | null>('eth_getBlockByNumber', toHex(number), false);
        if (block === null) found.push(`no block ${number}`);
        for (const hash of block?.transactions ?? []) {
          if (seen.has(hash)) found.push(`${hash} is in block ${number} again`);
          seen.add(hash);
        }
      }
    }
    assert.deepEqual(found, []);
  } finally {
    await chain.stop();
  }
});
