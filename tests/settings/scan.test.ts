import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config.ts';

const RPC = { RPC_URLS: 'eip155:1=http://a.example eip155:10=http://b.example solana:devnet=http://c.example' };

test('SCAN names served networks, once each, by their canonical names', () => {
  assert.deepEqual(readConfig(RPC).scan, { networks: [], solanaAddresses: 1000 });
  const { networks } = readConfig({ ...RPC, SCAN: 'eip155:10, eip155:1,eip155:10,solana:devnet' }).scan;
  assert.deepEqual(networks, ['eip155:10', 'eip155:1', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1']);
});

test('a network without an RPC endpoint, and a text that names none, are refused at the start', () => {
  const refused: [scan: string, why: RegExp][] = [
    ['eip155:1,eip155:137', /SCAN names eip155:137, which has no RPC endpoint: add one to RPC_URLS/],
    ['ethereum', /SCAN must be CAIP-2 names.*"ethereum"/],
  ];
  for (const [SCAN, why] of refused)
    assert.throws(
      () => readConfig({ ...RPC, SCAN }),
      (error) => error instanceof ConfigError && why.test(error.message),
    );
});
