import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-tokens-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'tokens.json');
const token = (n: number, chain = 'eip155:1') => ({
  caip19: `${chain}/erc20:0x${n.toString(16).padStart(40, '0')}`,
  symbol: 'T',
  name: 'Token',
  decimals: 18,
});

function read(content: unknown) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readConfig({ TOKENS: file }).tokens.on;
}

test('tokens are read by network, up to 500 on each', () => {
  assert.equal(readConfig({}).tokens.on.size, 0);
  const some = Array.from({ length: 500 }, (_, i) => token(i));
  const mint = { ...token(0), caip19: 'solana:mainnet/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' };
  const on = read([...some, token(1, 'eip155:10'), mint]);
  assert.deepEqual(
    [...on].map(([caip2, assets]) => [caip2, assets.length]),
    [
      ['eip155:1', 500],
      ['eip155:10', 1],
      ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 1],
    ],
  );
});

test('a file that is wrong is refused at the start, with its name, the entry and what to correct', () => {
  const refused: [content: unknown, why: RegExp][] = [
    ['[', /must be JSON/],
    ['{}', /must be a JSON array/],
    ['[{"symbol":"A","symbol":"B"}]', /must be JSON: .*symbol/],
    [['x'], /entry 1: must be an object/],
    [[token(1), { ...token(2), caip19: 'eip155:1/erc20:0x12' }], /entry 2: caip19 must be/],
    [[{ ...token(1), caip19: `solana:mainnet/token:${'1'.repeat(40)}` }], /entry 1: caip19 must be/],
    [[{ ...token(1), logo: 'x' }], /entry 1: "logo" is no member/],
    [[{ ...token(1), symbol: '' }], /entry 1: symbol must be/],
    [[{ ...token(1), name: 'a\u202eb' }], /entry 1: name must be/],
    [[{ ...token(1), decimals: '18' }], /entry 1: decimals must be a whole number/],
    [[{ ...token(1), stable: 'yes' }], /entry 1: stable must be/],
    [[{ ...token(1), logoUrl: 'http://a.example' }], /entry 1: logoUrl must be/],
    [[{ ...token(1), caip19: 'eip155:1/slip44:60', decimals: 6 }], /entry 1: decimals must be 18 for the native coin/],
    [
      [token(10), { ...token(10), caip19: `eip155:1/erc20:0x${'a'.padStart(40, '0').toUpperCase()}` }],
      /entry 2: .* is there twice/,
    ],
    [Array.from({ length: 501 }, (_, i) => token(i)), /entry 501: eip155:1 has more than 500 entries/],
  ];
  for (const [content, why] of refused)
    assert.throws(
      () => read(content),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, why);
        assert.ok(error.message.includes(file), error.message);
        return true;
      },
    );
  assert.throws(() => readConfig({ TOKENS: join(folder, 'none') }), /TOKENS names .*none, which cannot be read/);
});
