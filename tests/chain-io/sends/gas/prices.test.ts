import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { Unreachable } from '../../../../src/base/errors.ts';
import { gasPrices, readPrices } from '../../../../src/chain-io/sends/gas/prices.ts';
import { guardedCalls } from '../../../../src/outbound/guard.ts';

const ETH = 3_000_500_000_000_000_000_000n;

let asked = 0;
let answer: (response: ServerResponse) => void = () => {};
const server = createServer((request, response) => {
  asked++;
  assert.equal(request.url, '/prices?key=secret');
  answer(response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => server.close());
const { port } = server.address() as { port: number };
const url = `http://127.0.0.1:${port}/prices?key=secret`;

const say = (value: unknown, status = 200) => {
  answer = (response) =>
    response.writeHead(status, { connection: 'close' }).end(typeof value === 'string' ? value : JSON.stringify(value));
};

function source(more: { fixed?: [string, bigint][]; maxAgeMs?: number; from?: string | undefined } = {}) {
  const time = { now: 0 };
  const said: string[] = [];
  let wake = () => {};
  const warned = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const note = (fields: object, message: string) => {
    said.push(`${message} ${JSON.stringify(fields)}`);
    // The callers end in the same turn.
    setImmediate(wake);
  };
  const machine = { now: () => Date.UTC(2026, 0, 31) + time.now };
  const prices = gasPrices({
    settings: { fixed: new Map(more.fixed), url: 'from' in more ? more.from : url, maxAgeMs: more.maxAgeMs ?? 600_000 },
    calls: guardedCalls({ allowed: new Set([`127.0.0.1:${port}`]), bounds: { milliseconds: 60_000 } }),
    elapsed: { now: () => time.now },
    machine,
    log: { info: note, warn: note, error: note },
  });
  return { prices, time, said, warned };
}

test('an answer has prices by network, as texts or numbers, under any of its names', () => {
  const of = (value: unknown) => readPrices(Buffer.from(JSON.stringify(value)));
  assert.deepEqual(
    [...of({ prices: { 'eip155:1': '3000.50', 'solana:mainnet': 150, more: true }, source: 'x' }).prices],
    [
      ['eip155:1', ETH],
      ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 150n * 10n ** 18n],
    ],
  );
  assert.equal(of({ prices: {}, asOf: '2026-01-31T12:00:00Z' }).asOf, Date.UTC(2026, 0, 31, 12));
  for (const price of ['0', '-1', '1e3', '', null, {}, 'NaN', 1e30])
    assert.equal(of({ prices: { 'eip155:1': price } }).prices.size, 0);
  for (const wrong of [[], {}, 'x', { prices: [] }, { prices: {}, asOf: 'soon' }, { prices: {}, asOf: 1 }])
    assert.throws(() => of(wrong), /its answer|"asOf"/);
});

test('a price of the operator comes first, and asks no source', async () => {
  asked = 0;
  const { prices } = source({ fixed: [['eip155:1', 5n]] });
  assert.equal(await prices.of('eip155:1'), 5n);
  const alone = source({ fixed: [], from: undefined }).prices;
  assert.equal(await alone.of('eip155:1'), undefined);
  assert.equal(asked, 0);
});

test('concurrent callers share one answer, which counts until it is a minute old', async () => {
  asked = 0;
  say({ prices: { 'eip155:1': '3000.50' } });
  const { prices, time } = source();
  assert.deepEqual(await Promise.all([prices.of('eip155:1'), prices.of('eip155:1'), prices.of('eip155:2')]), [
    ETH,
    ETH,
    undefined,
  ]);
  assert.equal(asked, 1);
  time.now = 59_000;
  assert.equal(await prices.of('eip155:1'), ETH);
  assert.equal(asked, 1);
});

test('an older price still counts while a new one is asked for, until it is too old', async () => {
  say({ prices: { 'eip155:1': '3000.50' } });
  const { prices, time, said, warned } = source();
  assert.equal(await prices.of('eip155:1'), ETH);
  say('', 500);
  time.now = 120_000;
  assert.equal(await prices.of('eip155:1'), ETH, 'nobody waits for the source');
  await warned;
  say('no JSON');
  time.now = 600_000;
  await assert.rejects(prices.of('eip155:1'), (error) => {
    assert.ok(error instanceof Unreachable);
    assert.match(error.message, /at most 600 seconds old, and none is known: 127.0.0.1:\d+: its answer is not/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  assert.ok(said.length >= 2);
  for (const line of said) assert.doesNotMatch(line, /secret/);
  say({ prices: { 'eip155:1': '1' } });
  await assert.rejects(prices.of('eip155:1'), Unreachable, 'a source that failed has two seconds of rest');
  time.now += 2000;
  assert.equal(await prices.of('eip155:1'), 10n ** 18n);
});

test('a stuck source is as good as none', async () => {
  const { prices, time } = source();
  say({ prices: { 'eip155:1': '1' }, asOf: new Date(Date.UTC(2026, 0, 31) - 590_000).toISOString() });
  assert.equal(await prices.of('eip155:1'), 10n ** 18n);
  time.now = 11_000;
  await assert.rejects(prices.of('eip155:1'), /its prices are 601 seconds old/);
});

test('redirects, long answers and silence are refused', async () => {
  for (const wrong of [
    (response: ServerResponse) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    (response: ServerResponse) => response.end(' '.repeat(1_000_000)),
    (response: ServerResponse) => response.destroy(),
  ]) {
    answer = wrong;
    await assert.rejects(source().prices.of('eip155:1'), Unreachable);
  }
});
