import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Abi, decodeErrorResult, encodeErrorResult, type Hex, toFunctionSelector } from 'viem';
import { STATION_ERRORS } from '../../src/chains/ethereum/abi-errors.ts';
import { decodeRevert, type RevertEntry } from '../../src/chains/ethereum/revert.ts';
import { type CallFrame, revertChain } from '../../src/chains/ethereum/revert-chain.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

const OUTER = '0x00000000000000000000000000000000000000a1';
const INNER = '0x6b175474e89094c44da98b954eedeac495271d0f';
const frame = (output: string, more: Partial<CallFrame> = {}): CallFrame => ({
  to: OUTER,
  output,
  error: 'execution reverted',
  calls: [],
  ...more,
});
const none = new Map<string, string>();
const one = (output: string, error = 'execution reverted', interfaces = none) =>
  revertChain(frame(output, { error }), interfaces)[0]!;

const errorString = (text: string) =>
  encodeErrorResult({
    abi: [{ type: 'error', name: 'Error', inputs: [{ name: 'm', type: 'string' }] }],
    errorName: 'Error',
    args: [text],
  });
const panic = (code: bigint) =>
  encodeErrorResult({
    abi: [{ type: 'error', name: 'Panic', inputs: [{ name: 'c', type: 'uint256' }] }],
    errorName: 'Panic',
    args: [code],
  });

const TOKEN = [
  {
    type: 'error',
    name: 'ERC20InsufficientBalance',
    inputs: [
      { name: 'sender', type: 'address' },
      { name: 'balance', type: 'uint256' },
      { name: 'needed', type: 'uint256' },
    ],
  },
  { type: 'error', name: 'Paused', inputs: [] },
  { type: 'error', name: 'Broken', inputs: 'no list' },
  null,
] as unknown as Abi;
const token = new Map([[INNER, JSON.stringify(TOKEN)]]);

test('require with a text, a panic, and a bare revert are native errors', () => {
  const address = OUTER.replace('a1', 'A1');
  assert.equal(one('0x').address.toLowerCase(), address.toLowerCase());
  assert.deepEqual(one(errorString('not enough')).native, { nativeType: 'error_string', message: 'not enough' });
  assert.equal(one(errorString('not enough')).displayMessage, 'not enough');
  assert.deepEqual(one(panic(0x11n)).native, {
    nativeType: 'panic',
    message: 'arithmetic overflow or underflow (0x11)',
    panicCode: '17',
  });
  assert.equal(one(panic(99n)).displayMessage, 'panic: panic (0x63)');
  assert.deepEqual(one('0x').native, { nativeType: 'execution_reverted', message: 'execution reverted' });
  assert.deepEqual(one('0x', 'out of gas').native, { nativeType: 'execution_reverted', message: 'out of gas' });
  // A node that gives its words and no data
  assert.deepEqual(one('0x', 'execution reverted: too late').native, { nativeType: 'error_string', message: 'too late' });
});

test('a custom error is one of the contract’s interface, or of the gas station; else it is unknown', () => {
  const abi = TOKEN.filter((entry) => entry !== null);
  const data = encodeErrorResult({ abi, errorName: 'ERC20InsufficientBalance', args: [INNER, 1n, 2n ** 200n] });
  assert.deepEqual(one(data, undefined, token), {
    address: one(data).address,
    errorType: 'custom',
    displayMessage: `ERC20InsufficientBalance(sender: ${INNER}, balance: 1, needed: ${2n ** 200n})`,
    custom: {
      errorName: 'ERC20InsufficientBalance',
      paramsJson: JSON.stringify({ sender: INNER, balance: '1', needed: (2n ** 200n).toString() }),
    },
  });
  assert.deepEqual(one(data).unknown, { selector: data.slice(0, 10), data });
  assert.deepEqual(one('0xacfdb444').custom, { errorName: 'ExecutionFailed', paramsJson: '{}' });
  for (const odd of ['0x12', '0x123456'] as const) assert.deepEqual(one(odd).unknown, { selector: odd, data: odd });
  // Arguments that the error does not have
  assert.equal(one(data.slice(0, 100), undefined, token).errorType, 'unknown');
});

test('the gas station’s errors have the selectors that are published', () => {
  const published = {
    InvalidNonce: '0x756688fe',
    DeadlineExceeded: '0x559895a3',
    BatchSizeInvalid: '0xde21ae18',
    InvalidToContract: '0x03bbfc9c',
    NotSelf: '0x29c3b7ee',
    ExecutionFailed: '0xacfdb444',
    UnsupportedExecutionMode: '0x7f181275',
    ApprovalFailed: '0x8164f842',
    ApprovalTo0Failed: '0xe12092fc',
    ApprovalReturnFalse: '0xf572481d',
    InvalidOffset: '0x01da1572',
    InvalidCounter: '0x63e0897a',
    NotDelegated: '0x9ccd6d76',
    InvalidFunctionSelector: '0x42868c9b',
  };
  assert.deepEqual(Object.fromEntries([...STATION_ERRORS].map(([selector, { name }]) => [name, selector])), published);
});

test('the chain goes from the outermost call to the one that began it, and leaves out what was caught', () => {
  const inner = frame(errorString('no'), { to: INNER });
  const fine = frame('0x', { error: undefined });
  const messages = (outermost: CallFrame) => revertChain(outermost, none).map(({ displayMessage }) => displayMessage);
  assert.deepEqual(messages(frame('0xacfdb444', { calls: [fine, inner] })), ['ExecutionFailed()', 'no']);
  assert.deepEqual(messages(frame(errorString('no'), { calls: [frame(errorString('no'), { calls: [inner] })] })), [
    'no',
    'no',
    'no',
  ]);
  // Caught, and then something else failed
  assert.deepEqual(messages(frame('0xacfdb444', { calls: [inner, fine] })), ['ExecutionFailed()']);
  // Caught, and thrown again later
  assert.deepEqual(messages(frame(errorString('no'), { calls: [inner, fine] })), ['no', 'no']);
  assert.deepEqual(messages(fine), []);
  const data = encodeErrorResult({ abi: TOKEN.filter((entry) => entry !== null), errorName: 'Paused' });
  const nested = revertChain(frame(data, { calls: [frame(data, { to: INNER })] }), token);
  assert.deepEqual(
    nested.map(({ custom }) => custom?.errorName),
    ['Paused', 'Paused'],
  );
  assert.equal(nested[1]!.address, '0x6B175474E89094C44Da98b954EedeAC495271d0F');
  assert.equal(revertChain(frame('0x', { to: undefined }), none)[0]!.address, '');
});

test('a long revert reason is cut', () => {
  let deep = frame('0x');
  for (let i = 0; i < 1000; i++) deep = frame('0x', { calls: [deep] });
  assert.equal(revertChain(deep, none).length, 32);
  const huge = one(`0xdeadbeef${'00'.repeat(100_000)}`);
  assert.equal(huge.unknown!.data.length, 2 + 2 * 4096);
  const long = one(errorString('x'.repeat(10_000)));
  assert.ok(long.displayMessage.length <= 1024 && long.native!.message.length <= 1024);
  const odd = one(errorString('a\u0000b\nc\u001b[31m'));
  assert.equal(odd.displayMessage, 'a\ufffdb\ufffdc\ufffd[31m');
});

type Parameter = { name: string; type: string; components?: Parameter[] };
type Typed = { parameter: Omit<Parameter, 'name'>; value: unknown };

const bytesOf = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const atoms: fc.Arbitrary<Typed>[] = [
  fc
    .constantFrom(8, 64, 128, 256)
    .chain((bits) =>
      fc
        .bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
        .map((value) => ({ parameter: { type: `uint${bits}` }, value: bits <= 48 ? Number(value) : value })),
    ),
  fc
    .constantFrom(64, 256)
    .chain((bits) =>
      fc
        .bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n })
        .map((value) => ({ parameter: { type: `int${bits}` }, value })),
    ),
  fc.boolean().map((value) => ({ parameter: { type: 'bool' }, value })),
  bytesOf(20).map((value) => ({ parameter: { type: 'address' }, value })),
  bytesOf(32).map((value) => ({ parameter: { type: 'bytes32' }, value })),
  fc
    .uint8Array({ maxLength: 70 })
    .map((bytes) => ({ parameter: { type: 'bytes' }, value: `0x${Buffer.from(bytes).toString('hex')}` })),
  fc
    .string({ unit: 'binary', maxLength: 40 })
    .filter((text) => text.isWellFormed() && !text.startsWith('\ufeff'))
    .map((value) => ({ parameter: { type: 'string' }, value })),
];
const { typed } = fc.letrec<{ typed: Typed }>((tie) => ({
  typed: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    ...atoms,
    tie('typed').chain(({ parameter, value }) =>
      fc.integer({ min: 0, max: 3 }).map((count) => ({
        parameter: { ...parameter, type: `${parameter.type}[]` },
        value: Array.from({ length: count }, () => value),
      })),
    ),
    fc.array(tie('typed'), { minLength: 1, maxLength: 3 }).map((members) => ({
      parameter: { type: 'tuple', components: members.map(({ parameter }, i) => ({ ...parameter, name: `m${i}` })) },
      value: members.map((member) => member.value),
    })),
  ),
}));
const parameters = fc.array(typed, { maxLength: 4 });

/** Tuples of viem are objects by name. */
const forViem = ({ type, components }: Omit<Parameter, 'name'>, value: unknown): unknown => {
  if (type.endsWith('[]'))
    return (value as unknown[]).map((inner) => forViem({ type: type.slice(0, -2), ...(components && { components }) }, inner));
  if (type !== 'tuple') return value;
  return Object.fromEntries(components!.map((member, i) => [member.name, forViem(member, (value as unknown[])[i])]));
};
/** As this service writes what viem reads. */
const asOurs = (value: unknown): unknown => {
  if (typeof value === 'bigint' || typeof value === 'number') return value.toString();
  if (Array.isArray(value)) return value.map(asOurs);
  if (typeof value === 'object' && value !== null) return Object.values(value).map(asOurs);
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value;
};
const errorOf = (given: readonly Typed[]) => ({
  type: 'error',
  name: 'Odd',
  inputs: given.map(({ parameter }, i) => ({ ...parameter, name: `p${i}` })),
});

function assertAsViem(entry: RevertEntry, abi: Abi, data: Hex): void {
  const { args = [] } = decodeErrorResult({ abi, data });
  const params = Object.values(JSON.parse(entry.custom!.paramsJson) as Record<string, unknown>);
  assert.deepEqual(params, asOurs(args));
}

test('what viem encodes is decoded as viem decodes it', () => {
  fc.assert(
    fc.property(parameters, (given) => {
      const abi = [errorOf(given)] as unknown as Abi;
      const data = encodeErrorResult({
        abi,
        errorName: 'Odd',
        args: given.map(({ parameter, value }) => forViem(parameter, value)),
      } as never) as Hex;
      const entry = one(data, undefined, new Map([[OUTER, JSON.stringify(abi)]]));
      if (data.length > 2 * 16_384) return;
      assert.equal(entry.errorType, 'custom');
      if (entry.custom!.paramsJson === '{}' && given.length > 0) return;
      assertAsViem(entry, abi, data);
    }),
  );
});

test('fuzz: no data makes it throw, and what it decodes viem decodes alike', () => {
  const abi = [
    errorOf([
      { parameter: { type: 'uint64' }, value: 0n },
      { parameter: { type: 'bytes' }, value: '0x' },
      { parameter: { type: 'string[]' }, value: [] },
    ]),
  ] as unknown as Abi;
  const selector = toFunctionSelector('Odd(uint64,bytes,string[])');
  const interfaces = new Map([[OUTER, JSON.stringify(abi)]]);
  const good = encodeErrorResult({ abi, errorName: 'Odd', args: [7n, '0x0102', ['a', 'b']] } as never) as Hex;
  const words = fc.array(fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })), {
    maxLength: 12,
  });
  const start = fc.constantFrom(selector, '0x08c379a0', '0x4e487b71', '0x', '0xdeadbeef');
  const random = fc
    .tuple(start, words, fc.uint8Array({ maxLength: 40 }))
    .map(
      ([head, list, tail]) =>
        `${head}${list.map((word) => word.toString(16).padStart(64, '0')).join('')}${Buffer.from(tail).toString('hex')}`,
    );
  const mutated = fc
    .tuple(fc.nat(good.length / 2 - 2), fc.nat(255))
    .map(([at, byte]) => `${good.slice(0, 2 + 2 * at)}${byte.toString(16).padStart(2, '0')}${good.slice(4 + 2 * at)}`);
  fc.assert(
    fc.property(fc.oneof(random, mutated), (data) => {
      const entry = one(data, undefined, interfaces);
      assert.ok(entry.displayMessage.length <= 1024 && !/\p{Cc}/u.test(entry.displayMessage));
      if (entry.errorType === 'custom' && entry.custom!.errorName === 'Odd') assertAsViem(entry, abi, data as Hex);
      if (entry.native?.nativeType === 'panic')
        assert.equal(entry.native.panicCode, BigInt(`0x${data.slice(10, 74)}`).toString());
    }),
    { numRuns: rounds(2000) },
  );
});

test('an interface that has no errors, or wrong ones, explains nothing and harms nothing', () => {
  for (const abi of [
    '[]',
    '{}',
    'null',
    '[1,"a",null,[]]',
    '[{"type":"error"},{"type":"error","name":"X","inputs":[{"type":"nonsense"}]}]',
  ])
    assert.equal(one('0xdeadbeef', undefined, new Map([[OUTER, abi]])).errorType, 'unknown');
  assert.equal(decodeRevert({ address: '', data: '0xdeadbeef', reason: '' }, []).errorType, 'unknown');
});
