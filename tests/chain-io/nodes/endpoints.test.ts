import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { keccak256 } from 'viem';
import type { Hex } from '../../../src/chain-io/nodes/read.ts';
import { NoNodeError, RpcError } from '../../../src/chain-io/nodes/types.ts';
import { type Anvil, startAnvil } from '../../support/anvil.ts';
import { type Liar, type Lie, rpc, startLiar } from '../../support/rpc-liar.ts';
import { ALICE, evm, impatientEvm, transfer } from './support.ts';

let anvil: Anvil;
let liar: Liar;
let other: Liar;
before(async () => {
  anvil = await startAnvil('--no-mining');
  [liar, other] = await Promise.all([startLiar(anvil.url), startLiar(anvil.url)]);
});
afterEach(() => {
  for (const one of [liar, other]) {
    one.truth();
    one.asked.length = 0;
  }
});
after(async () => {
  await Promise.all([liar.stop(), other.stop()]);
  await anvil.stop();
});

const alice = ALICE.address.toLowerCase() as Hex;
const times = (one: Liar, method: string) => one.asked.filter((asked) => asked === method).length;
const nextNonce = async () => Number(await rpc<string>(anvil.url, 'eth_getTransactionCount', [alice, 'pending']));

test('an endpoint of another chain is refused with a log line, and gets no request', async () => {
  liar.lie({ kind: 'chain', chainId: 1n });
  const { node, lines } = evm(liar.url, other.url);
  assert.ok((await node.balance(alice)) > 0n);
  assert.equal((await node.send(await transfer({ nonce: await nextNonce() }))).outcome, 'sent');
  assert.equal((await node.balance(alice)) > 0n, true);
  assert.deepEqual(new Set(liar.asked), new Set(['eth_chainId']));
  const loud = lines.filter(({ level }) => level === 'error');
  assert.equal(loud.length, 1);
  assert.match(String(loud[0]!.fields.reason), /answers for chain 1, not 31337/);
  const alone = evm(liar.url).node;
  await assert.rejects(
    alone.balance(alice),
    (error) => error instanceof NoNodeError && error.failures[0]!.trouble === 'wrong chain',
  );
  assert.equal((await alone.send(await transfer({ nonce: 0 }))).outcome, 'unavailable');
});

test('an endpoint that did not name its network gets no request, and one that comes back does', async () => {
  const signed = await transfer({ nonce: await nextNonce() });
  for (const lie of [{ kind: 'drop' }, { kind: 'error', code: -32603, message: 'Internal error' }, { kind: 'stale' }] as const) {
    const { node } = evm(liar.url);
    liar.lie(lie, { methods: ['eth_chainId'] });
    liar.asked.length = 0;
    assert.equal((await node.send(signed)).outcome, 'unavailable');
    assert.equal(times(liar, 'eth_sendRawTransaction'), 0);
  }
  liar.truth();
  const { node, elapsed } = evm(liar.url, other.url);
  await node.status();
  liar.lie({ kind: 'status', status: 502 });
  await node.balance(alice);
  liar.lie({ kind: 'chain', chainId: 5n });
  elapsed.move(1001);
  liar.asked.length = 0;
  await node.balance(alice);
  assert.deepEqual(liar.asked, ['eth_chainId']);
});

const SICK: readonly (readonly [string, Lie, trouble: string])[] = [
  ['closes the connection', { kind: 'reset' }, 'no answer'],
  ['closes the connection after it did it', { kind: 'drop' }, 'no answer'],
  ['never answers', { kind: 'silence' }, 'no answer'],
  ['never stops answering', { kind: 'endless' }, 'no answer'],
  ['gives the answer to another request', { kind: 'stale' }, 'no answer'],
  ['answers with a page', { kind: 'status', status: 200 }, 'no answer'],
  ['answers with half of an answer', { kind: 'status', status: 200, body: '{"jsonrpc":"2.0","id":2,"result":"0x' }, 'no answer'],
  [
    'answers with a result of another kind',
    { kind: 'status', status: 200, body: '{"jsonrpc":"2.0","id":2,"result":"much"}' },
    'no answer',
  ],
  ['is a gateway without a node', { kind: 'status', status: 502 }, 'no answer'],
  ['does not know the key', { kind: 'status', status: 401 }, 'unreachable'],
  ['sends elsewhere', { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'unreachable'],
  ['is not in sync', { kind: 'error', code: -32000, message: 'node is syncing' }, 'unavailable'],
  ['wants fewer requests', { kind: 'limit' }, 'rate limited'],
];

for (const [what, lie, trouble] of SICK)
  test(`an endpoint that ${what}: the next one is asked, and comes first until the first has recovered`, async () => {
    const { node, elapsed, lines } = (lie.kind === 'silence' ? impatientEvm : evm)(liar.url, other.url);
    await node.status();
    liar.lie(lie);
    assert.ok((await node.balance(alice)) > 0n);
    assert.equal(times(other, 'eth_getBalance'), 1);
    const asked = times(liar, 'eth_getBalance');
    assert.ok(asked >= 1);
    assert.ok((await node.balance(alice)) > 0n);
    assert.deepEqual([times(liar, 'eth_getBalance'), times(other, 'eth_getBalance')], [asked, 2]);
    assert.deepEqual(
      lines.map(({ level, fields }) => [level, fields.trouble]),
      [['warn', trouble]],
    );
    liar.truth();
    elapsed.move(1001);
    assert.ok((await node.balance(alice)) > 0n);
    assert.equal(times(liar, 'eth_getBalance'), asked + 1);
    assert.equal((await node.status())[0]!.trouble, undefined);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['warn', 'info'],
    );
  });

test('an endpoint that refuses connections did nothing, and serves again when it is back', async () => {
  const { node, elapsed } = evm(liar.url);
  await liar.listen(false);
  await assert.rejects(
    node.balance(alice),
    (error) => error instanceof NoNodeError && error.failures[0]!.trouble === 'unreachable',
  );
  assert.equal((await node.send(await transfer({ nonce: 0 }))).outcome, 'unavailable');
  await liar.listen(true);
  elapsed.move(60_000);
  assert.ok((await node.balance(alice)) > 0n);
});

test('an endpoint with a rate limit gets no request until it allows one, and the caller learns when', async () => {
  const { node, elapsed } = evm(liar.url);
  await node.balance(alice);
  liar.lie({ kind: 'limit', retryAfter: '7' });
  const signed = await transfer({ nonce: await nextNonce() });
  const sent = await node.send(signed);
  assert.deepEqual([sent.outcome, sent.retryAfterMs], ['rate limited', 7000]);
  liar.truth();
  const asked = liar.asked.length;
  elapsed.move(6000);
  await assert.rejects(node.balance(alice), (error) => error instanceof NoNodeError && error.retryAfterMs === 1000);
  assert.deepEqual([(await node.send(signed)).outcome, liar.asked.length], ['unavailable', asked]);
  elapsed.move(1001);
  assert.equal((await node.send(signed)).outcome, 'sent');
});

for (const lie of [{ kind: 'limit', retryAfter: '60' }, { kind: 'silence' }, { kind: 'result', result: 'nonsense' }] as const)
  test(`an endpoint that answers balances with ${lie.kind} still comes first for sends`, async () => {
    const { node } = evm(liar.url, other.url);
    assert.ok((await node.balance(alice)) > 0n);
    liar.lie(lie, { methods: ['eth_call'] });
    const held = await node.holdings(alice, [alice], 2000);
    assert.ok(held.native > 0n, 'the other one answers');
    assert.equal(times(other, 'eth_call'), 1);
    liar.asked.length = 0;
    assert.ok((await node.balance(alice)) > 0n);
    assert.equal(times(liar, 'eth_getBalance'), 1);
    assert.ok((await node.holdings(alice, [alice], 2000)).native > 0n);
    assert.equal(times(liar, 'eth_call'), 0, 'the other one comes first for balances');
    assert.equal((await node.send(await transfer({ nonce: await nextNonce() }))).outcome, 'sent');
  });

test('every request is answered although one endpoint flaps', async () => {
  const { node, elapsed, lines } = evm(liar.url, other.url);
  await node.status();
  liar.flap({ kind: 'reset' });
  for (let i = 0; i < 20; i++) {
    assert.ok((await node.balance(alice)) > 0n);
    elapsed.move(1001);
  }
  assert.ok(times(liar, 'eth_getBalance') > 5);
  assert.ok(lines.length <= 2, 'one that comes and goes is told of once a minute');
});

for (const kind of ['drop', 'silence'] as const)
  test(`a send whose answer is lost (${kind}) is perhaps sent, and is known when it is sent again`, async () => {
    const { node } = (kind === 'silence' ? impatientEvm : evm)(liar.url);
    await node.balance(alice);
    const signed = await transfer({ nonce: await nextNonce() });
    liar.lie({ kind });
    assert.equal((await node.send(signed)).outcome, 'unknown');
    liar.truth();
    assert.equal((await node.transaction(keccak256(signed))).value?.blockHash, undefined);
    assert.equal((await node.send(signed)).outcome, 'already known');
  });

test('a send that a balancer repeats is already known, and one that every endpoint gets is sent', async () => {
  const { node } = evm(liar.url, other.url);
  await node.status();
  liar.lie({ kind: 'twice' }, { methods: ['eth_sendRawTransaction'] });
  other.lie({ kind: 'reset' }, { methods: ['eth_sendRawTransaction'] });
  const nonce = await nextNonce();
  assert.equal((await node.send(await transfer({ nonce }))).outcome, 'already known');
  liar.truth();
  other.truth();
  other.lie({ kind: 'error', code: -32000, message: 'insufficient funds for gas * price + value' });
  const sent = await node.send(await transfer({ nonce: nonce + 1 }));
  assert.equal(sent.outcome, 'sent');
  assert.ok(times(liar, 'eth_sendRawTransaction') >= 2 && times(other, 'eth_sendRawTransaction') >= 2);
});

test('a wrong error after a real send is no failure', async () => {
  const { node } = evm(liar.url);
  await node.balance(alice);
  for (const message of ['Internal error', 'oops', 'context deadline exceeded', '']) {
    liar.lie({ kind: 'error', code: -32603, message, done: true }, { methods: ['eth_sendRawTransaction'] });
    const signed = await transfer({ nonce: await nextNonce() });
    assert.equal((await node.send(signed)).outcome, 'unknown', message);
    assert.ok((await rpc(anvil.url, 'eth_getTransactionByHash', [keccak256(signed)])) !== null);
    liar.truth();
  }
});

test('one refusal beside a silent endpoint is no refusal', async () => {
  const { node } = evm(liar.url, other.url);
  await node.status();
  liar.lie({ kind: 'drop' });
  other.lie({ kind: 'error', code: -32000, message: 'insufficient funds for gas * price + value' });
  const sent = await node.send(await transfer({ nonce: await nextNonce() }));
  assert.equal(sent.outcome, 'unknown');
  assert.deepEqual(sent.answers.map(({ outcome }) => outcome).sort(), ['insufficient funds', 'unknown']);
});

test('the nonce and missing receipts of a lagging endpoint do not count, and others are asked first', async () => {
  await rpc(anvil.url, 'evm_mine');
  const block = BigInt(await rpc<string>(anvil.url, 'eth_blockNumber'));
  const { node, elapsed } = evm(liar.url, other.url);
  liar.lie({ kind: 'frozen', block });
  await node.status();
  const nonce = await nextNonce();
  const signed = await transfer({ nonce });
  await rpc(anvil.url, 'eth_sendRawTransaction', [signed]);
  await rpc(anvil.url, 'anvil_mine', ['0x3c']);
  assert.equal(await node.nonce(alice, 'latest'), BigInt(nonce) + 1n);
  const { value, answered, endpoints } = await node.receipt(keccak256(signed));
  assert.deepEqual([value?.blockNumber, endpoints], [block + 1n, 2]);
  assert.equal(answered, 2);
  assert.deepEqual(
    (await node.status()).map(({ head, lags }) => [head, lags]),
    [
      [block, true],
      [block + 60n, false],
    ],
  );
  const before = times(liar, 'eth_getBalance');
  await node.balance(alice);
  assert.equal(times(liar, 'eth_getBalance'), before);
  // A short way behind is no matter until it stays so.
  liar.lie({ kind: 'frozen', block: block + 55n });
  assert.equal((await node.status())[0]!.lags, false);
  elapsed.move(16_000);
  assert.equal((await node.status())[0]!.lags, true);
});

test('a receipt that no endpoint has says how many were asked', async () => {
  const { node } = evm(liar.url, other.url);
  await node.status();
  const hash: Hex = `0x${'ab'.repeat(32)}`;
  assert.deepEqual(await node.receipt(hash), { value: undefined, answered: 2, endpoints: 2 });
  other.lie({ kind: 'reset' });
  assert.deepEqual(await node.receipt(hash), { value: undefined, answered: 1, endpoints: 2 });
  liar.lie({ kind: 'reset' });
  await assert.rejects(node.receipt(hash), NoNodeError);
});

test('a node’s error about the request is given as it is, after others were asked', async () => {
  const { node } = evm(liar.url, other.url);
  await node.status();
  liar.lie({ kind: 'error', code: -32000, message: 'some state of ours is odd' });
  assert.ok((await node.balance(alice)) > 0n);
  other.lie({ kind: 'error', code: -32000, message: 'and of ours' });
  await assert.rejects(node.balance(alice), (error) => error instanceof RpcError && /some state of ours/.test(error.message));
});

test('an endpoint that refuses every request does no harm while another answers', async () => {
  const { node } = evm(liar.url, other.url);
  await node.status();
  liar.lie({ kind: 'error', code: -32602, message: 'Invalid params' });
  assert.ok((await node.balance(alice)) > 0n);
  assert.equal(await node.code(alice), '0x');
  assert.equal(await node.storage(alice, `0x${'0'.repeat(64)}`), `0x${'0'.repeat(64)}`);
  assert.equal((await node.prices()).kind, 'eip1559');
});

test('secrets of a URL are in no error, no log line and no answer', async () => {
  const { host } = new URL(liar.url);
  const url = `http://s3cretuser:s3cretword@${host}/v3/s3cretpath123?apikey=s3cretkey`;
  const { node, lines, elapsed } = evm(url);
  const told: unknown[] = [];
  const failing: readonly Lie[] = [
    { kind: 'error', code: -32000, message: `bad project s3cretpath123 of ${url} with s3cretkey for s3cretuser:s3cretword` },
    { kind: 'error', code: 429, message: 'rate limit for s3cretpath123' },
    { kind: 'status', status: 500, body: url },
    { kind: 'reset' },
  ];
  for (const lie of failing) {
    liar.truth();
    elapsed.move(400_000);
    await node.balance(alice);
    liar.lie(lie);
    told.push(await node.balance(alice).catch((error) => [error.message, error.stack, error.failures, error.said]));
    elapsed.move(400_000);
    told.push(await node.send('0x02'));
    told.push(await node.status());
  }
  const text = JSON.stringify([told, lines], (_, value) =>
    typeof value === 'bigint' ? String(value) : value instanceof Error ? [value.message, value.stack, { ...value }] : value,
  );
  assert.match(text, /bad project \*\*\* of/);
  assert.doesNotMatch(text, /s3cret/);
});
