import type { Call } from '../../../chains/ethereum/gas-station.ts';

type Hex = `0x${string}`;

const byte = (value: number, size = 1): string => value.toString(16).padStart(2 * size, '0');

const [STOP, CODECOPY, RETURNDATASIZE, RETURNDATACOPY, JUMPI, GAS, JUMPDEST, CALL, REVERT] = [
  '00',
  '39',
  '3d',
  '3e',
  '57',
  '5a',
  '5b',
  'f1',
  'fd',
];
const PUSH1_0 = '6000';
const push3 = (value: number) => `62${byte(value, 3)}`;
const push20 = (address: Hex) => `73${address.slice(2)}`;
const push32 = (value: bigint) => `7f${value.toString(16).padStart(64, '0')}`;

/** Reverts with the data that the failed call reverted with. */
const FAIL = [RETURNDATASIZE, PUSH1_0, PUSH1_0, RETURNDATACOPY, RETURNDATASIZE, PUSH1_0, REVERT].join('');

function block({ to, value, data }: Call, dataAt: number, endAt: number): string {
  const size = push3(data.length / 2 - 1);
  const copy = [size, push3(dataAt), PUSH1_0, CODECOPY];
  const call = [PUSH1_0, PUSH1_0, size, PUSH1_0, push32(value), push20(to), GAS, CALL];
  return [...copy, ...call, push3(endAt - 1), JUMPI, FAIL, JUMPDEST].join('');
}

const BLOCK_BYTES = block({ to: `0x${'00'.repeat(20)}`, value: 0n, data: '0x' }, 0, 1).length / 2;

/**
 * Code that makes the calls in order. It reverts with the first failure's data. An account that runs it acts as its delegate would
 * with a message. So a node can tell, before anything is signed, whether the calls succeed and what they cost.
 */
export function callingCode(calls: readonly Call[]): Hex {
  let dataAt = BLOCK_BYTES * calls.length + 1;
  let code = '';
  for (const [i, call] of calls.entries()) {
    code += block(call, dataAt, BLOCK_BYTES * (i + 1));
    dataAt += call.data.length / 2 - 1;
  }
  return `0x${code}${STOP}${calls.map(({ data }) => data.slice(2)).join('')}`;
}
