import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig, withoutSecrets } from '../../src/config.ts';

const served = (env: Record<string, string>) => readConfig(env).chains.map(({ network, urls }) => [network.caip2, ...urls]);

test('each setting serves a network, with its endpoints in order; any chain id and loopback will do', () => {
  assert.deepEqual(served({}), []);
  assert.deepEqual(
    served({
      RPC_URL_EIP155_31337: 'http://127.0.0.1:8545',
      RPC_URL_EIP155_1: 'https://user:pass@a.example/v3/key, https://b.example?key=1',
      RPC_URL_SOLANA_MAINNET: 'https://c.example',
      RPC_URL_SOLANA_DEVNET: 'http://localhost:8899',
      RPC_URL_EIP155_10: '',
    }),
    [
      ['eip155:1', 'https://user:pass@a.example/v3/key', 'https://b.example?key=1'],
      ['eip155:31337', 'http://127.0.0.1:8545'],
      ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'https://c.example'],
      ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'http://localhost:8899'],
    ],
  );
});

test('all can come from one file, and what it names is shown without what is secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-rpc-'));
  try {
    const file = join(folder, 'urls');
    writeFileSync(
      file,
      '# of the team\neip155:1=https://a.example/s3cr3t,https://u:s3cr3t@b.example\n\n solana:mainnet=http://[::1]:8899?k=s3cr3t\n',
    );
    const env = { RPC_URLS_FILE: file, RPC_URL_EIP155_10: 'https://c.example/s3cr3t' };
    assert.deepEqual(
      served(env).map(([caip2, ...urls]) => [caip2, urls.length]),
      [
        ['eip155:1', 2],
        ['eip155:10', 1],
        ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 1],
      ],
    );
    const shown = withoutSecrets(readConfig(env));
    assert.equal(shown.RPC_URL_EIP155_10, 'c.example');
    assert.equal(shown.RPC_URLS, 'eip155:1=a.example,b.example solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp=[::1]:8899');
    assert.doesNotMatch(JSON.stringify(shown), /s3cr3t/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a list may have spaces after its commas, lines of any system, and names of settings', () => {
  assert.deepEqual(
    served({
      RPC_URLS:
        'eip155:1=https://a.example, https://b.example?k=\r\n\r\nRPC_URL_EIP155_5=https://c.example\r\nsolana:mainnet=https://d.example',
    }),
    [
      ['eip155:1', 'https://a.example', 'https://b.example?k='],
      ['eip155:5', 'https://c.example'],
      ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'https://d.example'],
    ],
  );
});

test('a wrong setting stops the start, and no URL is quoted', () => {
  for (const [env, why] of [
    [
      { RPC_URL_EIP155_1: 'https://a.example/s3cr3t,wss://b.example/s3cr3t' },
      /^RPC_URL_EIP155_1 must be URLs .*: entry 2 is not$/,
    ],
    [{ RPC_URL_EIP155_1: 'https://a.example/s3cr3t,' }, /entry 2 is not/],
    [{ RPC_URL_EIP155_1: 'a.example/s3cr3t' }, /entry 1 is not/],
    [{ RPC_URL_EIP155_1: 'https://a.example/#s3cr3t' }, /entry 1 is not/],
    [{ RPC_URL_EIP155_1: `https://a.example/${'s3cr3t'.repeat(400)}` }, /entry 1 is not/],
    [{ RPC_URL_EIP155_1: 'https://a.example/s3cr3t,https://a.example/s3cr3t' }, /the same URL twice/],
    [{ RPC_URL_EIP155_1: Array.from({ length: 17 }, (_, i) => `https://s3cr3t.example/${i}`).join(',') }, /at most 16 URLs/],
    [{ RPC_URL_EIP155_01: 'https://a.example/s3cr3t' }, /^RPC_URL_EIP155_01: its end must be a chain id/],
    [{ RPC_URL_EIP155_MAINNET: 'https://a.example/s3cr3t' }, /its end must be a chain id/],
    [{ RPC_URLS: 'eip155:1=https://a.example/s3cr3t bip122:1=https://s3cr3t' }, /^RPC_URLS must be entries .*entry 2 is not/],
    [{ RPC_URLS: 'https://a.example/s3cr3t' }, /entry 1 is not/],
    [{ RPC_URLS: 'eip155:1=s3cr3t' }, /^RPC_URLS: eip155:1 must be URLs/],
    [
      { RPC_URLS: 'eip155:1=https://a.example/s3cr3t', RPC_URL_EIP155_1: 'https://b.example/s3cr3t' },
      /^eip155:1 has RPC URLs twice: keep one of RPC_URL_EIP155_1 and its entries in RPC_URLS/,
    ],
    [{ RPC_URLS: 'RPC_URL_EIP155_X=https://a.example/s3cr3t' }, /^RPC_URL_EIP155_X: its end must be a chain id/],
  ] as [Record<string, string>, RegExp][])
    assert.throws(
      () => readConfig(env),
      (error) => error instanceof ConfigError && why.test(error.message) && !error.message.includes('s3cr3t'),
      JSON.stringify(env),
    );
});

test('a mistyped setting is warned of, and a right one is not', () => {
  const warnings = (env: Record<string, string>) => readConfig(env).warnings;
  assert.deepEqual(warnings({ RPC_URL_EIP155_1: 'https://a.example', RPC_URL_SOLANA_DEVNET: 'https://b.example' }), []);
  assert.match(warnings({ RPC_URL_SOLANA_MAINET: 'x' }).join(), /is not a setting: did you mean RPC_URL_SOLANA_MAINNET\?/);
  assert.match(warnings({ RPC_URL_ETHEREUM: 'x' }).join(), /is not a setting/);
  assert.deepEqual(warnings({ ETH_RPC_URL: 'x', EIP155_1_URL: 'x' }), []);
});
