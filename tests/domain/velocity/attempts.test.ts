import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reading } from '../../../src/chains/shared/transfers.ts';
import { TRANSFERS_BY_KIND } from '../../../src/domain/transfers/kinds.ts';
import { addedBy } from '../../../src/domain/velocity/added.ts';
import { coveringKind } from '../../../src/domain/velocity/control-cache.ts';
import { type Terms, termsOf } from '../../../src/domain/velocity/terms.ts';
import type { VelocityControl } from '../../../src/model/velocity-control.ts';
import { satisfies } from '../../../src/model/velocity-spend.ts';
import { aggregation, method, velocityControl } from '../../activities/velocity-controls/support.ts';
import { call, evm, MAX, ME, OTHER, onToken, payload, signer, USDC, YOU } from '../../chains/transfers-making.ts';
import { mint, solanaRows } from '../../chains/transfers-rows-others.ts';
import { messages, typedText } from '../../chains/transfers-typed.ts';

const ETHER = 'eip155:8453/slip44:60';
const TOKEN = `eip155:8453/erc20:${USDC}`;

const terms = (caip19: string, decimals: string, threshold = '1000', more: object = {}): Terms =>
  termsOf(
    {
      ...velocityControl({
        dataSource: { chainAssetTransfer: { definition: [{ caip19, decimals }] } },
        aggregation: aggregation({ threshold }),
        ...more,
      }),
      id: '',
      organizationId: '',
      createdAt: 0,
      updatedAt: 0,
    } as unknown as VelocityControl,
    (type) => type,
  );

const within = (limit: Terms, reading: Reading): boolean | string => {
  const { unreadable, ...added } = addedBy(reading, limit);
  return unreadable === undefined ? satisfies(limit.comparison, added) : 'unreadable';
};

test('amounts around 2^53, 2^63, 2^64, 2^255 and 2^256 are added exactly', () => {
  for (const bits of [53n, 63n, 64n, 255n, 256n])
    for (const amount of [2n ** bits - 1n, 2n ** bits, 2n ** bits + 1n].filter((each) => each <= MAX)) {
      const limit = terms(TOKEN, '0');
      const reading = onToken('transfer', YOU, amount);
      assert.equal(addedBy(reading, limit).amount, amount * limit.comparison.one, String(amount));
      assert.equal(
        within({ ...limit, comparison: { ...limit.comparison, threshold: amount * limit.comparison.one } }, reading),
        true,
      );
      const less = { ...limit.comparison, threshold: amount * limit.comparison.one - 1n };
      assert.equal(within({ ...limit, comparison: less }, reading), false);
    }
});

test('a threshold of 38 digits, 18 of them after the point, is compared to its last digit', () => {
  const threshold = `${'9'.repeat(20)}.${'9'.repeat(18)}`;
  const units = 10n ** 38n - 1n;
  assert.equal(within(terms(ETHER, '18', threshold), evm({ to: YOU, value: units })), true);
  assert.equal(within(terms(ETHER, '18', threshold), evm({ to: YOU, value: units + 1n })), false);
  // The threshold is finer than the asset, and coarser than it.
  assert.equal(within(terms(TOKEN, '6', '0.000001999999999999'), onToken('transfer', YOU, 2n)), false);
  assert.equal(within(terms(TOKEN, '6', '0.000001999999999999'), onToken('transfer', YOU, 1n)), true);
  assert.equal(within(terms(TOKEN, '255', '0'), onToken('transfer', YOU, 1n)), false);
  // An allowance without a limit exceeds the greatest threshold, also that of a token with the most decimals.
  assert.equal(within(terms(TOKEN, '255', '9'.repeat(38)), onToken('approve', YOU, MAX)), false);
});

const NATIVE: readonly [what: string, reading: Reading, adds: bigint][] = [
  ['a contract creation with a value', evm({ to: undefined, data: '0x6000', value: 7n }), 7n],
  ['a value beside a call of a token', evm({ data: call('transfer', YOU, 5n), value: 7n }), 7n],
  ['a value to the account itself', evm({ to: ME, value: 7n }), 0n],
  ['a value of a transaction for every chain', evm({ type: 'legacy', chainId: undefined, to: YOU, value: 7n }), 7n],
  ['a value on another chain', evm({ chainId: 1, to: YOU, value: 7n }), 0n],
  [
    'calls of a batch',
    TRANSFERS_BY_KIND.ETH_SEND_TRANSACTION({
      chainId: 8453n,
      from: ME,
      calls: [3n, 4n].map((value) => ({ to: OTHER, value, data: '0x' })),
      fee: 0n,
    }),
    7n,
  ],
];

test('each way of moving a native coin adds its value', () => {
  for (const [what, reading, adds] of NATIVE) {
    const limit = terms(ETHER, '18');
    assert.deepEqual(addedBy(reading, limit), { amount: adds, count: adds === 0n ? 0 : what.startsWith('calls') ? 2 : 1 }, what);
  }
});

test('a call of a coin under its other name counts for the coin', () => {
  const moonbeam = terms('eip155:1284/slip44:60', '18');
  const reading = evm({ chainId: 1284, to: `0x${'0'.repeat(37)}802`, data: call('transfer', YOU, 7n) });
  assert.equal(addedBy(reading, moonbeam).amount, 7n);
});

test('typed data of a coin under its other name counts for the coin', () => {
  const [ARC, CELO] = [`0x36${'0'.repeat(38)}`, '0x471ece3750da237f93b8e339c536989b8978a438'];
  const domain = { chainId: 5042, verifyingContract: ARC };
  const paid = payload(typedText({ ...messages.TransferWithAuthorization, domain }));
  assert.equal(
    addedBy(paid, terms('eip155:5042/slip44:60', '18')).amount,
    addedBy(paid, terms(`eip155:5042/erc20:${ARC}`, '6')).amount,
  );
  assert.notEqual(addedBy(paid, terms('eip155:5042/slip44:60', '18')).amount, 0n);
  const message = { ...messages.PermitTransferFrom.message, permitted: { token: CELO, amount: '7' } };
  const permitted = payload(typedText({ ...messages.PermitTransferFrom, message, domain: { chainId: 42220 } }));
  assert.equal(addedBy(permitted, terms('eip155:42220/slip44:60', '18')).amount, 7n);
});

test('typed data for a chain id that no EVM chain has may be for Tron, and is not readable', () => {
  const genesis = '0xcd8690dcfd5ab6b9e7e9f3a7a5e4ee2f0d4ad2cf7a5ee1eb45f1c94b2b6653dc';
  for (const chainId of [genesis, String(2n ** 63n - 36n)]) {
    const reading = payload(typedText({ ...messages.Permit, domain: { chainId } }));
    for (const token of ['tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', TOKEN])
      assert.equal(within(terms(token, '6'), reading), 'unreadable', `${token} ${chainId}`);
  }
  assert.equal(
    within(terms(TOKEN, '6'), payload(typedText({ ...messages.Permit, domain: { chainId: String(2n ** 63n - 37n) } }))),
    true,
  );
});

test('payloads of one activity share what their types may hash', () => {
  const ring = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`T${i}`, [{ name: 'next', type: `T${(i + 1) % 100}[]` }]]),
  );
  const root = Object.keys(ring).map((type) => ({ name: `f${type}`, type: `${type}[]` }));
  const message = Object.fromEntries(root.map(({ name }) => [name, [{ next: [] }]]));
  const wheel = typedText({ primaryType: 'Root', types: { ...ring, Root: root }, message });
  const of = { encoding: 'PAYLOAD_ENCODING_EIP712', ...signer };
  const paid = typedText(messages.TransferWithAuthorization);
  const { unreadable } = TRANSFERS_BY_KIND.SIGN_RAW_PAYLOADS(
    [paid, ...Array(50).fill(wheel)].map((each) => ({ ...of, payload: each })),
  );
  const tooMuch = unreadable.filter(({ why }) => why.includes('too much text'));
  assert.ok(tooMuch.length > 40 && unreadable.length > tooMuch.length / 2, `${tooMuch.length} of ${unreadable.length}`);
});

test('a plain token transfer of Solana names no mint, and is not readable for each mint', () => {
  const [, , , ...readings] = solanaRows.find(([name]) => name.includes('names no mint'))!;
  for (const reading of readings) assert.equal(within(terms(`solana:mainnet/token:${mint.token}`, '6'), reading), 'unreadable');
});

test('a limit that binds every signer does not cover its own deletion', () => {
  const dataSource = { activityExecution: {} };
  const counts = aggregation({ method: method('COUNT'), threshold: '0' });
  const of = (enforcement: string) => terms(TOKEN, '6', '0', { dataSource, aggregation: counts, countersign: { enforcement } });
  const kind = (name: string) => ({ kind: name, takes: undefined, votes: undefined });
  const covered = (enforcement: string, name: string) =>
    coveringKind({ version: 1, all: [of(enforcement)], byKind: new Map() }, kind(name)).open.length;
  assert.deepEqual(
    [
      covered('ALWAYS', 'DELETE_VELOCITY_CONTROL'),
      covered('ALWAYS', 'CREATE_USERS'),
      covered('POLICY', 'DELETE_VELOCITY_CONTROL'),
    ],
    [0, 1, 1],
  );
});
