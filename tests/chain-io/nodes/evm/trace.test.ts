import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { encodeErrorResult, keccak256 } from 'viem';
import { readFrame } from '../../../../src/chain-io/nodes/evm/trace.ts';
import type { Hex } from '../../../../src/chain-io/nodes/read.ts';
import { revertChain, revertedIn } from '../../../../src/chains/ethereum/revert-chain.ts';
import { type Anvil, startAnvil } from '../../../support/anvil.ts';
import { rounds } from '../../../support/full.ts';
import fc from '../../../support/properties.ts';
import { type Liar, rpc, startLiar } from '../../../support/rpc-liar.ts';
import { ALICE, evm, transfer } from '../support.ts';

/** Reverts with its call data. */
const ECHO: Hex = '0x000000000000000000000000000000000000ec40';
/** Calls the address in its first word with the rest, and passes on what that returns or reverts with. */
const PROXY: Hex = '0x0000000000000000000000000000000000009409';
/** The same, and reverts with ExecutionFailed() whatever the reason. */
const WRAPPER: Hex = '0x0000000000000000000000000000000000003a93';
const CALLS = '60203603 80 6020 5f 37 5f5f82 5f5f 5f35 5a f1 3d5f5f3e';
const CODE = {
  [ECHO]: '36 5f5f 37 36 5f fd',
  [PROXY]: `${CALLS} 601c57 3d5ffd 5b 3d5ff3`,
  [WRAPPER]: `${CALLS} 602557 63acfdb444 5f52 6004 601c fd 5b 3d5ff3`,
};

let anvil: Anvil;
let liar: Liar;
before(async () => {
  anvil = await startAnvil('--no-mining');
  liar = await startLiar(anvil.url);
  for (const [address, code] of Object.entries(CODE))
    await rpc(anvil.url, 'anvil_setCode', [address, `0x${code.replaceAll(' ', '')}`]);
});
afterEach(() => liar.truth());
after(async () => {
  await liar.stop();
  await anvil.stop();
});

const word = (address: Hex) => address.slice(2).padStart(64, '0');
const PAUSED = encodeErrorResult({
  abi: [{ type: 'error', name: 'Paused', inputs: [{ name: 'until', type: 'uint256' }] }],
  args: [5n],
});
const interfaces = new Map([
  [ECHO as string, JSON.stringify([{ type: 'error', name: 'Paused', inputs: [{ name: 'until', type: 'uint256' }] }])],
]);
/** WRAPPER calls PROXY, which calls ECHO. */
const NESTED = `0x${word(PROXY)}${word(ECHO)}${PAUSED.slice(2)}` as Hex;
const CHAIN = [
  ['ExecutionFailed()', WRAPPER],
  ['Paused(until: 5)', PROXY],
  ['Paused(until: 5)', ECHO],
];
const told = (frame: Parameters<typeof revertChain>[0] | undefined) =>
  revertChain(frame!, interfaces).map(({ displayMessage, address }) => [displayMessage, address.toLowerCase()]);
const alice = ALICE.address.toLowerCase() as Hex;
const WITHOUT = { methods: ['debug_traceCall', 'debug_traceTransaction'] };
const NO_METHOD = { kind: 'error', code: -32601, message: 'the method debug_traceCall does not exist/is not available' } as const;

/** A transaction in a block that reverted. */
async function landed(data: Hex): Promise<Hex> {
  const nonce = Number(await rpc<string>(anvil.url, 'eth_getTransactionCount', [alice, 'latest']));
  const signed = await transfer({ nonce, to: WRAPPER, data, gas: 200_000n, value: 0n });
  await rpc(anvil.url, 'eth_sendRawTransaction', [signed]);
  await rpc(anvil.url, 'evm_mine');
  return keccak256(signed);
}

test('a call that fails is followed to the call where it began', async () => {
  const { node } = evm(liar.url);
  const frame = await node.failure({ call: { from: alice, to: WRAPPER, data: NESTED } });
  assert.deepEqual(told(frame), CHAIN);
  assert.deepEqual(revertedIn(frame!), [WRAPPER, PROXY, ECHO]);
  assert.equal(await node.failure({ call: { from: alice, to: alice } }), undefined);
});

test('so is a transaction that reverted in a block', async () => {
  const { node } = evm(liar.url);
  const hash = await landed(NESTED);
  assert.equal((await node.receipt(hash)).value?.succeeded, false);
  assert.deepEqual(told(await node.failure({ transaction: hash })), CHAIN);
});

test('where no node traces, what the outermost call reverted with is told', async () => {
  const { node, lines } = evm(liar.url);
  liar.lie(NO_METHOD, WITHOUT);
  assert.deepEqual(told(await node.failure({ call: { from: alice, to: WRAPPER, data: NESTED } })), CHAIN.slice(0, 1));
  assert.deepEqual(
    told(await node.failure({ call: { from: alice, to: PROXY, data: `0x${word(ECHO)}${PAUSED.slice(2)}` } })),
    CHAIN.slice(1, 2),
  );
  assert.deepEqual(told(await node.failure({ transaction: await landed(NESTED) })), CHAIN.slice(0, 1));
  assert.equal(await node.failure({ call: { from: alice, to: alice } }), undefined);
  // A method that is missing makes no endpoint a bad one.
  assert.deepEqual(lines, []);
});

test('fuzz: a trace is read or refused, and never followed too far', () => {
  const { trace } = fc.letrec<{ trace: unknown }>((tie) => ({
    trace: fc.oneof(
      { maxDepth: 6 },
      fc.jsonValue(),
      fc.record(
        {
          to: fc.oneof(fc.constant(ECHO), fc.constant(null), fc.string()),
          output: fc.oneof(fc.constant('0xacfdb444'), fc.constant('0x'), fc.constant('0x1'), fc.string()),
          error: fc.oneof(fc.constant('execution reverted'), fc.string(), fc.constant(null)),
          calls: fc.oneof(fc.array(tie('trace'), { maxLength: 4 }), fc.constant(null)),
        },
        { requiredKeys: [] },
      ),
    ),
  }));
  fc.assert(
    fc.property(trace, (given) => {
      try {
        assert.ok(revertChain(readFrame(given), interfaces).length <= 32);
      } catch (error) {
        assert.equal((error as Error).constructor.name, 'Malformed');
      }
    }),
    { numRuns: rounds(1000) },
  );
  let deep: unknown = { error: 'execution reverted', output: '0x' };
  for (let i = 0; i < 5000; i++) deep = { error: 'execution reverted', output: '0x', calls: [deep] };
  assert.equal(revertChain(readFrame(deep), interfaces).length, 32);
});
