import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEnvironment } from '../../../src/app/policy-environment.ts';
import { transactionTransfers } from '../../../src/chains/read-transfers.ts';
import type { Reading } from '../../../src/chains/shared/transfers.ts';
import { TRANSFERS_BY_KIND } from '../../../src/domain/transfers/kinds.ts';
import { addedBy } from '../../../src/domain/velocity/added.ts';
import { coveringKind } from '../../../src/domain/velocity/control-cache.ts';
import { binds, judge, truthOf } from '../../../src/domain/velocity/judged.ts';
import { type Terms, termsOf } from '../../../src/domain/velocity/terms.ts';
import type { Roots } from '../../../src/engine/activity/declare.ts';
import type { ResolvedActivity } from '../../../src/engine/activity/decode.ts';
import { transferConditions } from '../../../src/engine/decision/transfer-conditions.ts';
import { policyCompiler } from '../../../src/engine/policy-compiler.ts';
import type { VelocityControl } from '../../../src/model/velocity-control.ts';
import { satisfies } from '../../../src/model/velocity-spend.ts';
import type { Step } from '../../../src/model/velocity-window.ts';
import type { Reader } from '../../../src/store/types.ts';
import { aggregation, method, velocityControl } from '../../activities/velocity-controls/support.ts';
import * as psbt from '../../chains/bitcoin-psbts.ts';
import {
  authorization,
  call,
  evm,
  MAX,
  ME,
  OTHER,
  onToken,
  payload,
  signer,
  typed,
  USDC,
  WORD,
  YOU,
} from '../../chains/transfers-making.ts';
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
      removesAt: null,
      fullSince: null,
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

const ERC20_FEE = 'eip155:42431/erc20:';

test('a fee is no payment that slips by: it adds to the sum of the coin that pays it, if the control counts fees', () => {
  const paid = { gas: 2n ** 64n, maxFeePerGas: 2n ** 64n };
  const counts = (caip19: string, reading: Reading, fees = true) =>
    addedBy(reading, terms(caip19, '0', '1', { countersign: { fees } }));
  const { one } = terms(ETHER, '0').comparison;
  const fee = 2n ** 128n * one;
  const reading = evm({ to: YOU, value: 7n, ...paid });
  assert.deepEqual(counts(ETHER, reading), { amount: fee + 7n * one, count: 1, fee });
  assert.deepEqual(counts(ETHER, reading, false), { amount: 7n * one, count: 1 });
  assert.deepEqual(counts(ETHER, evm({ data: call('transfer', YOU, 5n), ...paid })), { amount: fee, count: 0, fee });
  assert.deepEqual(counts(TOKEN, evm({ data: call('transfer', YOU, 5n), ...paid })), { amount: 5n * one, count: 1 });
  assert.equal(
    counts('eip155:1/slip44:60', evm({ type: 'legacy', chainId: undefined, gas: 3n, gasPrice: 5n })).amount,
    15n * one,
  );
  // Tempo takes fees in a token, and a send's price may be unknown.
  const send = { chainId: 42431n, from: ME, calls: [], fee: 9n };
  const token = `${ERC20_FEE}${USDC}`;
  assert.match(counts(token, TRANSFERS_BY_KIND.ETH_SEND_TRANSACTION(send)).unreadable!, /a token that is not named/);
  assert.equal(counts(token, TRANSFERS_BY_KIND.ETH_SEND_TRANSACTION(send), false).unreadable, undefined);
  const unpriced = TRANSFERS_BY_KIND.ETH_SEND_TRANSACTION({ ...send, chainId: 8453n, fee: undefined });
  assert.match(counts(ETHER, unpriced).unreadable!, /not known/);
});

const BITCOIN = 'bip122:000000000019d6689c085ae165831e93/slip44:0';
/** Takes 100 from the signer, of which all but the outputs are the fee. */
const bitcoinOf = (outputs: psbt.OutputSpec[], value = 100n): Reading => {
  const inputs: psbt.InputSpec[] = [{ name: 'p2wpkh', of: psbt.mine, value, utxo: 'both' }];
  const bytes = psbt.bytesOf(psbt.build({ inputs, outputs }));
  return transactionTransfers('TRANSACTION_TYPE_BITCOIN', bytes, psbt.signer(psbt.mine, 'P2WPKH'));
};
const nothing = { script: Buffer.of(0x6a), value: 0n };

test('the fee of Bitcoin adds to every sum, and is no transfer', () => {
  const limit = terms(BITCOIN, '0', '99');
  const all = 100n * limit.comparison.one;
  const reading = bitcoinOf([nothing]);
  assert.deepEqual(addedBy(reading, limit), { amount: all, count: 0, fee: all });
  assert.equal(within(limit, reading), false);
  const ownOnly = bitcoinOf([{ script: psbt.spendables.p2wpkh(psbt.mine).output, value: 90n }]);
  assert.equal(addedBy(ownOnly, limit).amount, 10n * limit.comparison.one);
  const counts = terms(BITCOIN, '0', '1', { aggregation: aggregation({ method: method('COUNT'), threshold: '1' }) });
  assert.deepEqual(addedBy(reading, counts), { amount: 0n, count: 0 });
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

test('each message that moves or allows exceeds a limit of nothing, and an authorization is not readable', () => {
  const nothing = terms(TOKEN, '6', '0');
  for (const name of Object.keys(messages) as (keyof typeof messages)[])
    assert.equal(within(nothing, typed(name)), name === 'CancelAuthorization', name);
  const code = { address: YOU, chainId: 8453, nonce: 1 };
  const bearing = evm({ type: 'eip7702', to: ME, authorizationList: [{ ...code, r: WORD, s: WORD, yParity: 0 }] });
  for (const caip19 of [ETHER, TOKEN])
    for (const reading of [authorization(YOU), authorization(YOU, 0), bearing])
      assert.equal(within(terms(caip19, '0', '9'), reading), 'unreadable', caip19);
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

const readerOf = (steps: readonly Step[] = []) => ({ velocityCounters: { steps: async () => steps } }) as unknown as Reader;
const judged = (limit: Terms, reading: Reading) =>
  judge(readerOf(), limit, [{ walletId: 'w', keyId: 'k', publicKey: 'p', reading }], { userId: 'u', now: 0 });

const batch = (calls: readonly { to: string; value: bigint }[]) =>
  TRANSFERS_BY_KIND.ETH_SEND_TRANSACTION({
    chainId: 8453n,
    from: ME,
    calls: calls.map((one) => ({ ...one, data: '0x' })),
    fee: 0n,
  });

test('each recipient of a batch has a counter of its own, and an amount without one is not readable', async () => {
  const limit = terms(ETHER, '0', '9', { countersign: { groupBy: 'recipient' } });
  const several = await judged(limit, batch([3n, 4n, 5n].map((value, i) => ({ to: i === 1 ? OTHER : YOU, value }))));
  assert.deepEqual(
    several?.buckets.map(({ name, added: { amount, count } }) => [name, amount / limit.comparison.one, count]),
    [
      [`/${YOU}`, 8n, 2],
      [`/${OTHER}`, 4n, 1],
    ],
  );
  assert.equal(truthOf(several!), true);
  const created = evm({ to: undefined, data: '0x6000', value: 7n });
  assert.match(String(truthOf((await judged(limit, created))!)), /its recipient is not in what is signed/);
  const lenient = terms(ETHER, '0', '9', { countersign: { groupBy: 'recipient', unreadable: 'COUNT_ONLY_READABLE' } });
  assert.equal(truthOf((await judged(lenient, created))!), true);
  // The approved account is the recipient, whatever contract is called.
  const approved = await judged(terms(TOKEN, '6', '9', { countersign: { groupBy: 'recipient' } }), onToken('approve', YOU, 7n));
  assert.deepEqual(
    approved?.buckets.map(({ name }) => name),
    [`/${YOU}`],
  );
});

test('fees of Bitcoin have a counter of their own beside those of recipients, and no other fee has one', async () => {
  const limit = terms(BITCOIN, '0', '50', { countersign: { groupBy: 'recipient', enforcement: 'ALWAYS' } });
  const to = psbt.spendables.p2wpkh(psbt.other).output;
  const bucketsOf = (found: Awaited<ReturnType<typeof judged>>) =>
    found?.buckets.map(({ name, added: { amount } }) => [name, amount / limit.comparison.one]);
  const address = 'bc1q';
  const paid = (await judged(limit, bitcoinOf([{ script: to, value: 90n }])))!;
  const [[named, moved], fee] = bucketsOf(paid) as [[string, bigint], [string, bigint]];
  assert.ok(named.startsWith(`/${address}`) && moved === 90n, named);
  assert.deepEqual([fee, truthOf(paid)], [['/', 10n], false]);
  const burned = (await judged(limit, bitcoinOf([nothing])))!;
  assert.deepEqual([bucketsOf(burned), truthOf(burned), binds(burned)], [[['/', 100n]], false, true]);
  const ether = terms(ETHER, '0', '9', { countersign: { groupBy: 'recipient' } });
  const gas = await judged(ether, evm({ to: YOU, value: 7n, gas: 9n, maxFeePerGas: 9n }));
  assert.deepEqual(
    gas?.buckets.map(({ name }) => name),
    [`/${YOU}`],
  );
});

const condition = (text: string) => {
  const compiled = policyCompiler(policyEnvironment).compileTransferCondition(text);
  assert.ok(compiled);
  return compiled;
};
const resolved = (views: Roots[] = [{}]) =>
  ({
    kind: { kind: 'SIGN_TRANSACTION', resource: 'PRIVATE_KEY', action: 'SIGN', policyParams: () => ({}) },
    version: { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' },
    subject: async () => undefined,
    views: async () => views,
  }) as unknown as ResolvedActivity;

test('a condition that costs too much lets the rest count, and one that fails lets all count', async () => {
  const [one] = batch([{ to: YOU, value: 3n }]).transfers;
  const countsOf = async (text: string, many: number, views?: Roots[]) => {
    const countsBy = await transferConditions(resolved(views));
    const compiled = condition(text);
    return Array.from({ length: many }).filter(() => countsBy(compiled, one)).length;
  };
  const dear = Array.from({ length: 500 }, (_, i) => `transfer.amount == ${i + 5}`).join(' || ');
  assert.equal(await countsOf(dear, 10), 0);
  const left = await countsOf(dear, 2000);
  assert.ok(left > 0 && left < 2000, String(left));
  assert.equal(await countsOf(`eth.tx.to != '${YOU}' && false`, 1), 1);
  // One element of a batch is enough.
  const elements = [{ wallet: { id: 'a' } }, { wallet: { id: 'b' } }] as unknown as Roots[];
  assert.deepEqual([await countsOf("wallet.id == 'b'", 1, elements), await countsOf("wallet.id == 'c'", 1, elements)], [1, 0]);
});

test('more recipients than are compared pass no limit, also where only what can be read counts', async () => {
  const countersign = { groupBy: 'recipient', unreadable: 'COUNT_ONLY_READABLE', enforcement: 'ALWAYS' };
  const limit = terms(ETHER, '0', '9', { countersign });
  const to = (n: number) =>
    batch(Array.from({ length: n }, (_, i) => ({ to: `0x${String(i + 1).padStart(40, '0')}`, value: 1n })));
  assert.equal(truthOf((await judged(limit, to(100)))!), true);
  const many = (await judged(limit, to(101)))!;
  assert.match(String(truthOf(many)), /it has 101 recipients, and at most 100/);
  assert.equal(binds(many), true);
  const outputs = Array.from({ length: 100 }, (_, i) => ({
    script: Buffer.concat([Buffer.of(0, 20), Buffer.alloc(20, i + 1)]),
    value: 1n,
  }));
  const bitcoin = terms(BITCOIN, '0', '9', { countersign });
  assert.equal(truthOf((await judged(bitcoin, bitcoinOf(outputs, 101n)))!), true, 'the fee is no recipient');
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
