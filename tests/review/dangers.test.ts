import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { encodeFunctionData, parseAbi } from 'viem';
import { callOf } from '../../review/evm/call.ts';
import { titleOf } from '../../review/evm/titles.ts';
import { reviewOf } from '../../review/index.ts';
import { instructionCall } from '../../review/solana/instruction.ts';

const TO = '0x00000000000000000000000000000000000000ee';
const ETH = { unit: 'ETH', decimals: 18 };
const reading = { coin: ETH, address: (text: string) => text, interfaces: undefined };

test('an instruction of Solana shows the authority that it gives, what it closes, and no other instruction', () => {
  const view = (hex: string) =>
    instructionCall({
      program_key: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
      accounts: [],
      instruction_data_hex: hex,
      parsed_instruction_data: { instruction_name: '', program_call_args: new Map() },
    } as never);
  const given = (hex: string) => view(hex).arguments.find(({ name }) => name === 'new authority')?.value;
  assert.equal(given(`060201${'07'.repeat(32)}`), base58.encode(new Uint8Array(32).fill(7)));
  assert.equal(given('060200'), 'none');
  assert.equal(given(`060201${'07'.repeat(31)}`), undefined);
  assert.deepEqual(
    view('09').warnings.map(({ code }) => code),
    ['closed'],
  );
  const amounts = `${'01'.repeat(8)}06${'00'.repeat(8)}`;
  assert.equal(view(`1a01${amounts}`).function, 'Token-2022 TransferCheckedWithFee');
  assert.equal(view(`1a05${amounts}`).function, undefined);
});

test('a title has the value of the outer call too', () => {
  const execute = parseAbi(['function execute(address target, uint256 value, bytes data)']);
  const data = encodeFunctionData({ abi: execute, args: [TO, 1n, '0x'] });
  const call = callOf({ to: TO, value: 100n * 10n ** 18n, data, isDelegate: false }, reading);
  assert.match(titleOf([call]).title, /^Send 0\.000000000000000001 ETH, by 0x0+ee, with 100 ETH$/);
});

test('a Safe that pays for gas is dangerous, as a call and as a message', () => {
  const abi = parseAbi([
    'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  ]);
  const codes = (gasPrice: bigint) => {
    const data = encodeFunctionData({ abi, args: [TO, 1n, '0x', 0, 0n, 5n, gasPrice, TO, TO, '0x'] });
    return callOf({ to: TO, value: 0n, data, isDelegate: false }, reading).warnings.map(({ code }) => code);
  };
  assert.deepEqual(codes(0n), []);
  assert.deepEqual(codes(1n), ['refund']);
});

test('typed data of an unknown type is no readable request', () => {
  const payload = JSON.stringify({
    types: { EIP712Domain: [{ name: 'chainId', type: 'uint256' }], Order: [{ name: 'offerer', type: 'address' }] },
    primaryType: 'Order',
    domain: { chainId: 1 },
    message: { offerer: TO },
  });
  const parameters = { signWith: TO, payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' };
  const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
  const body = { type, timestampMs: '1795966172374', organizationId: '0191f3c2-0000-7000-8000-000000000001', parameters };
  const { readable, warnings } = reviewOf(new TextEncoder().encode(JSON.stringify(body)));
  assert.equal(readable, false);
  assert.ok(warnings.some(({ code, level }) => code === 'unknown-typed-data' && level === 'red'));
});
