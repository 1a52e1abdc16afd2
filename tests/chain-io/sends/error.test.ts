import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeErrorResult, type Hex } from 'viem';
import { evmFailure, evmFailureOf, plainFailure, solanaSendError } from '../../../src/chain-io/sends/error.ts';
import type { CallFrame } from '../../../src/chains/ethereum/revert-chain.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();
const { root } = instance;
const read = instance.engine.store.read;

const OUTER = '0x00000000000000000000000000000000000a11ce';
const INNER = '0x0000000000000000000000000000000000000b0b';
const ABI = [{ type: 'error', name: 'Paused', inputs: [{ name: 'until', type: 'uint256' }] }];
const PAUSED = encodeErrorResult({ abi: ABI, args: [5n] });

const frame = (to: string, output: string, calls: CallFrame[] = [], error = 'execution reverted'): CallFrame => ({
  to,
  output,
  error,
  calls,
});
const errorString = (text: string): Hex =>
  encodeErrorResult({ abi: [{ type: 'error', name: 'Error', inputs: [{ type: 'string' }] }], args: [text] });

const upload = async (client: typeof root, address: string, label: string) =>
  resultOf(
    await client.submit('CREATE_SMART_CONTRACT_INTERFACE', {
      smartContractAddress: address,
      smartContractInterface: JSON.stringify(ABI),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      label,
    }),
    'createSmartContractInterfaceResult',
  );

test('errors are decoded with the interfaces of the own organization alone', async () => {
  const sub = await instance.newSubOrganization('Another', 1, 1);
  await upload(sub.clients[0]!, INNER, 'Theirs');
  const failed = frame(OUTER, '0xacfdb444', [frame(INNER, PAUSED)]);
  const before = await evmFailure(read, root.organizationId, failed);
  assert.deepEqual(
    before.revertChain!.map(({ errorType, displayMessage }) => [errorType, displayMessage]),
    [
      ['custom', 'ExecutionFailed()'],
      ['unknown', `unknown error ${PAUSED.slice(0, 10)}`],
    ],
  );
  await upload(root, INNER, 'Ours');
  const { message, revertChain } = await evmFailure(read, root.organizationId, failed);
  assert.match(message, /^execution reverted: Paused\(until: 5\) \(in 0x0{37}[bB]0[bB]\)$/);
  assert.deepEqual(revertChain![1]!.custom, { errorName: 'Paused', paramsJson: '{"until":"5"}' });
});

test('each kind of revert has its sentence', async () => {
  const said = async (output: string) => (await evmFailure(read, root.organizationId, frame('', output))).message;
  const panic = encodeErrorResult({
    abi: [{ type: 'error', name: 'Panic', inputs: [{ type: 'uint256' }] }],
    args: [17n],
  });
  assert.equal(await said(errorString('no luck')), 'execution reverted: no luck');
  assert.equal(await said(panic), 'execution reverted: panic: arithmetic overflow or underflow (0x11)');
  assert.equal(await said('0x'), 'execution reverted');
  assert.equal(await said('0xdeadbeef'), 'execution reverted: unknown error 0xdeadbeef');
});

test('a chain of large errors keeps its ends, and stays small', async () => {
  const abi = [{ type: 'error', name: 'Error', inputs: [{ type: 'string' }] }];
  let failed = frame(INNER, encodeErrorResult({ abi, args: ['the cause'] }));
  for (let i = 0; i < 31; i++) failed = frame(OUTER, `0x${'ab'.repeat(4000)}`, [failed]);
  const error = await evmFailure(read, root.organizationId, failed);
  assert.ok(JSON.stringify(error).length < 34_000);
  assert.match(error.message, /the cause/);
  assert.equal(error.revertChain!.at(-1)!.displayMessage, 'the cause');
  assert.equal(error.revertChain![0]!.errorType, 'unknown');
});

test('where no node says why, the given sentence is all', async () => {
  const of = { transaction: '0x00' as Hex };
  const silent = { failure: async () => undefined };
  const broken = { failure: async () => Promise.reject(new Error('no node')) };
  for (const node of [silent, broken])
    assert.deepEqual(await evmFailureOf(node, read, root.organizationId, of, 'it reverted'), { message: 'it reverted' });
});

test('texts of nodes become one line of bounded length', () => {
  assert.deepEqual(plainFailure(`a\nb\u0000${'c'.repeat(5000)}`), { message: `a b ${'c'.repeat(1020)}` });
});

test('a failure on Solana has its source, code, logs and units', () => {
  const error = solanaSendError({
    source: 'preflight',
    rpcCode: -32002,
    rpcMessage: 'Transaction simulation failed',
    err: { InstructionError: [0, { Custom: 1 }] },
    logs: ['Program log: no'],
    unitsConsumed: 150n,
  });
  assert.equal(error.message, 'instruction 0: custom program error 0x1');
  assert.deepEqual(error.solana, {
    source: 'preflight',
    rpcCode: -32002,
    rpcMessage: 'Transaction simulation failed',
    transactionErrorJson: '{"InstructionError":[0,{"Custom":1}]}',
    logs: ['Program log: no'],
    unitsConsumed: '150',
  });
});
