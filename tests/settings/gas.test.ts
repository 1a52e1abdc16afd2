import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig, withoutSecrets } from '../../src/config.ts';

const read = (env: Record<string, string>) => readConfig(env);
const refused = (env: Record<string, string>, text: RegExp) =>
  assert.throws(
    () => read(env),
    (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.match(error.message, text);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    },
  );

const [A, B] = [`0x${'aA'.repeat(20)}`, `0x${'11'.repeat(20)}`];

test('prices by network, under its canonical name', () => {
  const { fixed } = read({ GAS_PRICES_USD: 'eip155:1=3000.50, solana:mainnet=150,' }).gas.prices;
  assert.deepEqual(
    [...fixed],
    [
      ['eip155:1', 3_000_500_000_000_000_000_000n],
      ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 150n * 10n ** 18n],
    ],
  );
  for (const wrong of ['eip155:1', 'eip155:1=', 'eip155:1=0', 'eip155:1=-1', 'eip155:x=1', 'ethereum=1', 'eip155:1=1=1=1e5'])
    refused({ GAS_PRICES_USD: wrong.replace('=1=1', '=x') }, /GAS_PRICES_USD must be entries such as eip155:1=3000.50/);
  refused({ GAS_PRICES_USD: 'solana:mainnet=1,solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp=2' }, /has solana:5eykt\w+ twice/);
});

test('a source of prices is a URL, and is shown by its host', () => {
  const url = 'https://prices.example.com/v1?key=secret';
  const config = read({ GAS_PRICES_URL: url, GAS_PRICES_MAX_AGE_SECONDS: '60' });
  assert.deepEqual([config.gas.prices.url, config.gas.prices.maxAgeMs], [url, 60_000]);
  const shown = withoutSecrets(config);
  assert.equal(shown.GAS_PRICES_URL, 'prices.example.com');
  assert.doesNotMatch(JSON.stringify(shown), /secret/);
  refused({ GAS_PRICES_URL: 'ftp://secret' }, /GAS_PRICES_URL must be a URL/);
  refused({ GAS_PRICES_URL: 'https://user:secret@example.com' }, /GAS_PRICES_URL must have no user name/);
  refused({ GAS_PRICES_MAX_AGE_SECONDS: '9' }, /GAS_PRICES_MAX_AGE_SECONDS must be a whole number from 10 to 86400/);
  refused({ GAS_RENT_LAMPORTS: '1000000001' }, /GAS_RENT_LAMPORTS must be a whole number from 0 to 1000000000/);
  refused({ GAS_LOW_BALANCE_USD: '-1' }, /GAS_LOW_BALANCE_USD/);
});

test('stations by network, and for all others', () => {
  const { stations } = read({ GAS_STATIONS: `eip155:1=${A}/${B}, eip155:*=${B}/${A}` });
  assert.deepEqual([...stations.on], [['eip155:1', { station: A!.toLowerCase(), delegate: B }]]);
  assert.deepEqual(stations.elsewhere, { station: B, delegate: A!.toLowerCase() });
  const shown = withoutSecrets(read({ GAS_STATIONS: `eip155:1=${A}/${B},eip155:*=${B}/${A}` })).GAS_STATIONS;
  assert.equal(shown, `eip155:1=${A!.toLowerCase()}/${B},eip155:*=${B}/${A!.toLowerCase()}`);
  for (const wrong of [A!, `eip155:1=${A}`, `eip155:1=${A}/0x12`, `solana:mainnet=${A}/${B}`, `eip155:0=${A}/${B}`])
    refused({ GAS_STATIONS: wrong }, /GAS_STATIONS must be entries such as eip155:1=0x/);
  refused({ GAS_STATIONS: `eip155:1=${A}/${B},eip155:1=${B}/${A}` }, /GAS_STATIONS has eip155:1 twice/);
});

test('an unset setting shows its default', () => {
  const shown = withoutSecrets(read({}));
  assert.deepEqual(
    [
      'GAS_PRICES_USD',
      'GAS_PRICES_URL',
      'GAS_PRICES_MAX_AGE_SECONDS',
      'GAS_LOW_BALANCE_USD',
      'GAS_RENT_LAMPORTS',
      'GAS_STATIONS',
    ].map((name) => shown[name]),
    ['(unset)', '(unset)', 600, 10, 0, '(unset: the contracts of this project)'],
  );
});
