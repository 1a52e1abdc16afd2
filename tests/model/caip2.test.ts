import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCaip2 } from '../../src/model/caip2.ts';

test('every EVM chain has one name', () => {
  for (const id of ['1', '8453', '11155420', '9223372036854775771'])
    assert.deepEqual(parseCaip2(`eip155:${id}`), { kind: 'eip155', caip2: `eip155:${id}`, chainId: BigInt(id) });
  for (const wrong of [
    'eip155:0',
    'eip155:01',
    'eip155:',
    'eip155:1 ',
    'eip155:0x1',
    'eip155:-1',
    'eip155:9223372036854775772',
    'eip155',
  ])
    assert.equal(parseCaip2(wrong), undefined, wrong);
});

test('the names of a Solana cluster are one network', () => {
  const names = {
    'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': ['mainnet', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
    'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
  };
  for (const [caip2, aliases] of Object.entries(names))
    for (const name of [caip2, ...aliases.map((alias) => `solana:${alias}`)])
      assert.deepEqual(parseCaip2(name), { kind: 'solana', caip2, cluster: aliases[0] });
  for (const wrong of [
    'solana:testnet',
    'solana:',
    'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvd',
    'Solana:mainnet',
    'bip122:000000000019d6689c085ae165831e93',
  ])
    assert.equal(parseCaip2(wrong), undefined, wrong);
});
