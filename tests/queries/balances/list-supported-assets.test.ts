import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-tokens-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'tokens.json');
const usdc = { symbol: 'USDC', name: 'USD Coin', decimals: 6, stable: true, logoUrl: 'https://logos.example/usdc.png' };
const tokens = [
  { caip19: 'eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', ...usdc },
  { caip19: 'eip155:43114/slip44:9005', symbol: 'AVAX', name: 'Avalanche', decimals: 18 },
  { caip19: 'eip155:4217/erc20:0x20c0000000000000000000000000000000000000', symbol: 'USD', name: 'A dollar', decimals: 6 },
];
writeFileSync(file, JSON.stringify(tokens));
const url = 'http://127.0.0.1:9';
const chains = Object.fromEntries([1, 137, 4217, 43114, 99999].map((id) => [`RPC_URL_EIP155_${id}`, url]));
const { root } = await sharedInstance({ ...chains, RPC_URL_SOLANA_MAINNET: url, TOKENS: file });
const assetsOf = async (caip2: string) => (await root.query('list_supported_assets', { caip2 })).body.assets;

test('the native coin of the network, and what the operator named on it; no node is asked', async () => {
  assert.deepEqual(await assetsOf('eip155:1'), [
    { caip19: 'eip155:1/slip44:60', symbol: 'ETH', name: 'Ether', decimals: 18, stable: false },
    { caip19: 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', ...usdc },
  ]);
  const first = async (caip2: string) =>
    (await assetsOf(caip2)).map((one: { caip19: string; symbol: string }) => [one.caip19, one.symbol]);
  assert.deepEqual(await first('eip155:137'), [['eip155:137/slip44:966', 'POL']]);
  assert.deepEqual(await first('eip155:43114'), [['eip155:43114/slip44:9005', 'AVAX']], 'the operator named the coin');
  assert.deepEqual(await first('eip155:99999'), [['eip155:99999/slip44:60', 'NATIVE']]);
  assert.deepEqual((await first('eip155:4217')).length, 1, 'a chain without a native coin');
  assert.deepEqual(await first('solana:mainnet'), [['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501', 'SOL']]);
});

test('a network that is not served, or that is none, is refused', async () => {
  await refusesEachQuery(root, 'list_supported_assets', [
    [{ caip2: 'eip155:77' }, 'caip2', /RPC_URL_EIP155_77/],
    [{ caip2: 'eip155' }, 'caip2', /CAIP-2/],
  ]);
});
