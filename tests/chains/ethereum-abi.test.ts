import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { AbiCoder, Interface, ParamType } from 'ethers';
import { encodeFunctionData, getAddress, parseAbi } from 'viem';
import { abiProblem, decodeCall } from '../../src/chains/ethereum/abi.ts';
import type { Value } from '../../src/policy/index.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

type Hex = `0x${string}`;

const erc20 = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address, uint256) returns (bool)',
  'function pause()',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const batch = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function executeBatch(Call[] calls)',
  'function mixed(int8 small, bytes4 tag, string[] names, (bool ok, uint64[2] pair)[][2] nested)',
]);
const RECIPIENT = getAddress('0x5e9ee1089755c3435139848e47e6635505d5a13a');

test('arguments by name: hex without capitals, bigints, tuples by position', () => {
  const transfer = encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [RECIPIENT, 10n ** 30n] });
  const read = decodeCall(transfer, JSON.stringify(erc20));
  assert.equal(read.function_name, 'transfer');
  assert.deepEqual({ ...(read.contract_call_args as object) }, { to: RECIPIENT.toLowerCase(), value: 10n ** 30n });
  const calls = encodeFunctionData({
    abi: batch,
    functionName: 'executeBatch',
    args: [[{ target: RECIPIENT, value: 5n, data: '0xABcd' }]],
  });
  const args = decodeCall(calls.toLowerCase() as Hex, JSON.stringify(batch)).contract_call_args as Record<string, Value>;
  assert.deepEqual(args.calls, [[RECIPIENT.toLowerCase(), 5n, '0xabcd']]);
  const mixed = encodeFunctionData({
    abi: batch,
    functionName: 'mixed',
    args: [-5, '0xDEADBEEF', ['Ä', ''], [[{ ok: true, pair: [1n, 2n] }], []]],
  });
  assert.deepEqual(
    { ...(decodeCall(mixed.toLowerCase() as Hex, JSON.stringify(batch)).contract_call_args as object) },
    {
      small: -5n,
      tag: '0xdeadbeef',
      names: ['Ä', ''],
      nested: [[[true, [1n, 2n]]], []],
    },
  );
});

test('what has no name is asked for by position; a call without arguments has none', () => {
  const approve = encodeFunctionData({ abi: erc20, functionName: 'approve', args: [RECIPIENT, 1n] });
  assert.deepEqual(
    { ...(decodeCall(approve, JSON.stringify(erc20)).contract_call_args as object) },
    { 0: RECIPIENT.toLowerCase(), 1: 1n },
  );
  assert.equal(decodeCall('0x8456cb59', JSON.stringify(erc20)).function_name, 'pause');
});

test('an entry without a type is a function', () => {
  const abi = [{ name: 'pause', inputs: [] }];
  assert.equal(abiProblem(abi), undefined);
  assert.equal(decodeCall('0x8456cb59', JSON.stringify(abi)).function_name, 'pause');
});

test('without an interface, or with another selector, everything is empty', () => {
  for (const data of ['0x', '0x12', '0x12345678', '0xa9059cbb'] as const) {
    assert.deepEqual(decodeCall(data, undefined), { function_name: '', contract_call_args: {} });
  }
  assert.deepEqual(decodeCall('0x12345678', JSON.stringify(erc20)), { function_name: '', contract_call_args: {} });
});

test('data that a compiler would not write keeps its name and has no arguments; bytes behind it are ignored', () => {
  const data = encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [RECIPIENT, 7n] });
  const abi = JSON.stringify(erc20);
  const named = { function_name: 'transfer', contract_call_args: {} };
  assert.deepEqual(decodeCall(data.slice(0, -2) as Hex, abi), named);
  assert.deepEqual(decodeCall('0xa9059cbb', abi), named);
  const dirty = `${data.slice(0, 10)}ff${data.slice(12)}` as Hex;
  assert.deepEqual(decodeCall(dirty, abi), named);
  assert.equal((decodeCall(`${data}c0ffee` as Hex, abi).contract_call_args as Record<string, Value>).value, 7n);
  // An offset to a place other than where a compiler puts the data.
  const calls = encodeFunctionData({
    abi: batch,
    functionName: 'executeBatch',
    args: [[{ target: RECIPIENT, value: 5n, data: '0x' }]],
  });
  const moved = calls.replace(`${'0'.repeat(62)}20`, `${'0'.repeat(62)}40`) as Hex;
  assert.notEqual(moved, calls);
  assert.deepEqual(decodeCall(moved, JSON.stringify(batch)).contract_call_args, {});
});

test('places that all name the same bytes are not followed', () => {
  const abi = parseAbi(['function multicall(bytes[] calls)']);
  const selector = encodeFunctionData({ abi, args: [[]] }).slice(0, 10);
  const word = (n: number) => n.toString(16).padStart(64, '0');
  const count = 4000;
  const places = word(32 * count).repeat(count);
  const data = `${selector}${word(32)}${word(count)}${places}${word(32)}${'11'.repeat(32)}` as Hex;
  assert.deepEqual(decodeCall(data, JSON.stringify(abi)), { function_name: 'multicall', contract_call_args: {} });
  // Each place names the whole of the data: decoded, it would be gigabytes.
  const whole = `${selector}${word(32)}${word(count)}${word(0).repeat(count - 1)}${word(32 * count)}` as Hex;
  assert.deepEqual(decodeCall(whole, JSON.stringify(abi)), { function_name: 'multicall', contract_call_args: {} });
});

/** Ethers’ values as policies see them. */
function plain(value: unknown, type: ParamType): Value {
  if (type.isArray()) return [...(value as unknown[])].map((item) => plain(item, type.arrayChildren));
  if (type.isTuple()) return type.components.map((component, i) => plain((value as unknown[])[i], component));
  return typeof value === 'string' && type.type !== 'string' ? value.toLowerCase() : (value as Value);
}

test('@ethersproject/testcases: compiled contracts’ values decode as ethers decodes them', () => {
  const load = (name: string) =>
    JSON.parse(
      gunzipSync(
        readFileSync(createRequire(import.meta.url).resolve(`@ethersproject/testcases/testcases/${name}.json.gz`)),
      ).toString('utf8'),
    ) as { name: string; interface: string; result: Hex }[];
  let seen = 0;
  for (const { name, interface: text, result } of [...load('contract-interface'), ...load('contract-interface-abi2')]) {
    const entry = (JSON.parse(text) as { type: string; name: string; outputs: { name: string; type: string }[] }[]).find(
      ({ type, name }) => type === 'function' && name === 'test',
    )!;
    // The outputs of the function become the inputs of a made-up one.
    const inputs = entry.outputs.map((output, i) => ({ ...output, name: `p${i}` }));
    const call = { type: 'function', name: 'call', inputs };
    if (abiProblem([call]) !== undefined) {
      assert.match(abiProblem([call])!, /not an ABI type/, name);
      continue;
    }
    const selector = new Interface([{ ...call, stateMutability: 'payable' }]).getFunction('call')!.selector;
    const read = decodeCall(`${selector}${result.slice(2)}` as Hex, JSON.stringify([call]));
    const types = inputs.map((input) => ParamType.from(input));
    const wanted = AbiCoder.defaultAbiCoder().decode(types, result);
    assert.equal(read.function_name, 'call', name);
    const canonical = AbiCoder.defaultAbiCoder().encode(types, wanted) === result;
    if (!canonical) continue;
    assert.deepEqual(
      { ...(read.contract_call_args as object) },
      Object.fromEntries(types.map((t, i) => [`p${i}`, plain(wanted[i], t)])),
      name,
    );
    seen++;
  }
  assert.ok(seen > 3000, String(seen));
});

test('an interface that would not decode is named by place', () => {
  const fn = (inputs: unknown, name: unknown = 'f') => [{ type: 'function', name, inputs }];
  const bad: [unknown, RegExp][] = [
    [{}, /must be a JSON ABI/],
    [[1], /\[0\] must be an object/],
    [fn([], 1), /\[0\]\.name must be an identifier/],
    [fn({}), /\[0\]\.inputs must be a list/],
    [fn([{ type: 'uint7' }]), /\[0\]\.inputs\[0\]\.type: "uint7" is not an ABI type/],
    [fn([{ type: 'uint8[0]' }]), /"uint8\[0\]" is not an ABI type/],
    [fn([{ type: 'tuple' }]), /inputs\[0\]\.components must be a list/],
    [fn([{ type: 'tuple[]', components: [] }]), /components must be a list/],
    [fn([{ type: 'tuple', components: [{ type: 'x' }] }]), /inputs\[0\]\.components\[0\]\.type/],
    [
      fn([
        { type: 'bool', name: 'a' },
        { type: 'bool', name: 'a' },
      ]),
      /same name/,
    ],
  ];
  for (const [abi, why] of bad) assert.match(abiProblem(abi) ?? '', why, JSON.stringify(abi));
  let deep: unknown = { type: 'bool' };
  for (let i = 0; i < 40; i++) deep = { type: 'tuple', components: [deep] };
  assert.match(abiProblem(fn([deep])) ?? '', /deeper than 16/);
  // burn(uint256) and collate_propagate_storage(bytes16) share 0x42966c68.
  assert.match(
    abiProblem([...fn([{ type: 'uint256' }], 'burn'), ...fn([{ type: 'bytes16' }], 'collate_propagate_storage')]) ?? '',
    /same selector 0x42966c68/,
  );
});

test('any JSON and any data: an answer, and no exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (value, entries) => {
      abiProblem(value);
      abiProblem([{ type: 'function', name: 'f', inputs: entries }]);
    }),
  );
  const abi = JSON.stringify(batch);
  const selectors = [
    '0x34fcd5be',
    ...batch.filter((e) => e.type === 'function').map((e) => new Interface([e]).getFunction(e.name)!.selector),
  ];
  const word = fc.oneof(
    fc.constantFrom(0, 1, 2, 0x20, 0x40, 0x60, 0x80).map(BigInt),
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...selectors), fc.array(word, { maxLength: 24 }), (selector, words) => {
      decodeCall(`${selector}${words.map((w) => w.toString(16).padStart(64, '0')).join('')}` as Hex, abi);
    }),
    { numRuns: rounds(2000) },
  );
});
