import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  concat,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hashTypedData,
  hexToBytes,
  keccak256,
  numberToHex,
  parseAbi,
  toHex,
} from 'viem';
import { delegateOf, messageNonce } from '../../src/chains/ethereum/delegation.ts';
import {
  approveThenExecuteDigest,
  BURN_NONCE,
  burnNonce,
  burnNonceDigest,
  type Call,
  delegateExecution,
  executionDigest,
  stationApproveThenExecute,
  stationExecution,
  typeHashes,
} from '../../src/chains/ethereum/gas-station.ts';
import { create2Address, safeCreate2Data, stationInitCode } from '../../src/chains/ethereum/gas-station-deployment.ts';
import fc from '../support/properties.ts';

/** What viem makes of the same messages and calls, from the interface as it is documented. */
const abi = parseAbi([
  'struct Call { address to; uint256 value; bytes data; }',
  'function execute(address target, address to, uint256 ethAmount, bytes data)',
  'function executeBatch(address target, Call[] calls, bytes data)',
  'function approveThenExecute(address target, address to, uint256 ethAmount, address erc20, address spender, uint256 approveAmount, bytes data)',
]);
const delegateAbi = parseAbi([
  'struct Call { address to; uint256 value; bytes data; }',
  'function execute(address to, uint256 value, bytes data)',
  'function executeBatch(Call[] calls, bytes data)',
  'function burnNonce()',
  'function burnNonce(bytes signature, uint128 nonce)',
]);
const factoryAbi = parseAbi(['function safeCreate2(bytes32 salt, bytes initializationCode) payable returns (address)']);

const fields = (text: string) => text.split(',').map((field) => ({ type: field.split(' ')[0]!, name: field.split(' ')[1]! }));
const types = {
  Call: fields('address to,uint256 value,bytes data'),
  Execution: fields('uint128 nonce,uint32 deadline,address to,uint256 value,bytes data'),
  BatchExecution: fields('uint128 nonce,uint32 deadline,Call[] calls'),
  ApproveThenExecute: fields(
    'uint128 nonce,uint32 deadline,address erc20Contract,address spender,uint256 approveAmount,address to,uint256 value,bytes data',
  ),
  BurnNonce: fields('uint128 nonce'),
};

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const address = bytes(20).map((value) => toHex(value));
const uint = (bits: number) => fc.oneof(fc.bigInt(0n, 2n ** BigInt(bits) - 1n), fc.constantFrom(0n, 1n, 2n ** BigInt(bits) - 1n));
const call: fc.Arbitrary<Call> = fc.record({
  to: address,
  value: uint(256),
  data: fc.uint8Array({ maxLength: 100 }).map((value) => toHex(value)),
});
const calls = fc.array(call, { minLength: 1, maxLength: 20 });
const signer = fc.record({ chainId: uint(64), address });
const terms = fc.record({ nonce: uint(128), deadline: uint(32) });
const approval = fc.record({ erc20: address, spender: address, amount: uint(256) });

type Typed = { primaryType: keyof typeof types; message: object };
const digestOf = (given: { chainId: bigint; address: Hex }, { primaryType, message }: Typed) =>
  hashTypedData({
    domain: { name: 'TKGasDelegate', version: '1.1', chainId: given.chainId, verifyingContract: given.address },
    types,
    primaryType,
    message,
  } as never);
const packed = (signature: Uint8Array, { nonce, deadline }: { nonce: bigint; deadline: bigint }, data: Hex = '0x') =>
  concat([toHex(signature), numberToHex(nonce, { size: 16 }), numberToHex(deadline, { size: 4 }), data]);

test('digests are those that viem computes', () => {
  fc.assert(
    fc.property(signer, terms, calls, approval, (account, at, list, approve) => {
      const [first] = list as [Call];
      const { erc20, spender, amount } = approve;
      const typed: Typed =
        list.length === 1
          ? { primaryType: 'Execution', message: { ...at, ...first } }
          : { primaryType: 'BatchExecution', message: { ...at, calls: list } };
      assert.equal(toHex(executionDigest(account, at, list)), digestOf(account, typed));
      const message = { ...at, erc20Contract: erc20, spender, approveAmount: amount, ...first };
      assert.equal(
        toHex(approveThenExecuteDigest(account, at, approve, first)),
        digestOf(account, { primaryType: 'ApproveThenExecute', message }),
      );
      const burn = { primaryType: 'BurnNonce', message: { nonce: at.nonce } } as const;
      assert.equal(toHex(burnNonceDigest(account, at.nonce)), digestOf(account, burn));
    }),
  );
});

test('call data is what viem encodes', () => {
  fc.assert(
    fc.property(address, bytes(65), terms, calls, approval, (account, signature, at, list, approve) => {
      const signed = { ...at, signature };
      const [first] = list as [Call];
      const single = list.length === 1;
      const data = single ? packed(signature, at, first.data) : packed(signature, at);
      const args = single ? [first.to, first.value, data] : [list, data];
      const functionName = single ? 'execute' : 'executeBatch';
      assert.equal(
        stationExecution(account, list, signed),
        encodeFunctionData({ abi, functionName, args: [account, ...args] } as never),
      );
      assert.equal(delegateExecution(list, signed), encodeFunctionData({ abi: delegateAbi, functionName, args } as never));
      const { erc20, spender, amount } = approve;
      assert.equal(
        stationApproveThenExecute(account, approve, first, signed),
        encodeFunctionData({
          abi,
          functionName: 'approveThenExecute',
          args: [account, first.to, first.value, erc20, spender, amount, packed(signature, at, first.data)],
        }),
      );
      assert.equal(
        burnNonce(signature, at.nonce),
        encodeFunctionData({ abi: delegateAbi, functionName: 'burnNonce', args: [toHex(signature), at.nonce] }),
      );
    }),
  );
  assert.equal(BURN_NONCE, encodeFunctionData({ abi: delegateAbi, functionName: 'burnNonce', args: [] }));
});

test('type hashes are the documented ones', () => {
  assert.deepEqual(typeHashes, {
    Execution: '06bb52ccb5d61c4f9c5baafc0affaba32c4d02864c91221ad411291324aeea2e',
    BatchExecution: '14007e8c5dd696e52899952d0c28098ab95c056d082adc0d757f91c1306c7f55',
    Call: '9085b19ea56248c94d86174b3784cfaaa8673d1041d6441f61ff52752dac8483',
    ApproveThenExecute: '321d2e8c030c2c64001a1895d0f865dd0dc361666bd775ccb835b1a8bc2d41e3',
    BurnNonce: '1abb8920e48045adda3ed0ce4be4357be95d4aa21af287280f532fc031584bda',
  });
});

test('what fits into no message is refused before anything is signed', () => {
  const account = { chainId: 1n, address: `0x${'11'.repeat(20)}` } as const;
  const at = { nonce: 0n, deadline: 0n };
  const one: Call = { to: account.address, value: 0n, data: '0x' };
  const most = Array.from({ length: 20 }, () => one);
  assert.throws(() => executionDigest(account, at, []), /1 to 20 calls, not 0/);
  assert.throws(() => executionDigest(account, at, [...most, one]), /1 to 20 calls, not 21/);
  assert.equal(executionDigest(account, at, most).length, 32);
  assert.throws(() => executionDigest(account, { ...at, nonce: 2n ** 128n }, [one]), /the nonce must be/);
  assert.throws(() => executionDigest(account, { ...at, nonce: -1n }, [one]), /the nonce must be/);
  assert.throws(() => executionDigest(account, { ...at, deadline: 2n ** 32n }, [one]), /the deadline must be/);
  assert.throws(() => executionDigest(account, at, [{ ...one, value: 2n ** 256n }]), /the value must be/);
  assert.throws(() => burnNonceDigest(account, 2n ** 128n), /the nonce must be/);
  const signed = { ...at, signature: new Uint8Array(65) };
  assert.throws(() => stationExecution(account.address, [], signed), /1 to 20 calls/);
  assert.throws(() => delegateExecution([one], { ...signed, signature: new Uint8Array(64) }), /65 bytes/);
  assert.throws(() => delegateExecution([one, { ...one, value: -1n }], signed), /0 or more and below 2\^256/);
});

test('addresses of CREATE2, and what is sent to the factory, are what viem computes', () => {
  fc.assert(
    fc.property(address, bytes(32), fc.uint8Array({ minLength: 1, maxLength: 200 }), (from, saltBytes, code) => {
      const [salt, initCode] = [toHex(saltBytes), toHex(code)];
      assert.equal(
        create2Address(from, salt, initCode),
        getContractAddress({ opcode: 'CREATE2', from, salt, bytecodeHash: keccak256(initCode) }),
      );
      assert.equal(
        safeCreate2Data(salt, initCode),
        encodeFunctionData({ abi: factoryAbi, functionName: 'safeCreate2', args: [salt, initCode] }),
      );
      assert.equal(stationInitCode(initCode, from), concat([initCode, numberToHex(0, { size: 12 }), from]));
    }),
  );
});

test('the state of an account is read as the chain gives it', () => {
  const delegate = `0x${'Ab'.repeat(20)}` as const;
  assert.equal(delegateOf(`0xef0100${delegate.slice(2)}`), delegate.toLowerCase());
  for (const code of ['0x', '', `0xef0101${'ab'.repeat(20)}`, `0xef0100${'ab'.repeat(19)}`, `0xef0100${'ab'.repeat(21)}`]) {
    assert.equal(delegateOf(code), undefined, code);
  }
  const lower = hexToBytes(`0x${'07'.padStart(32, '0')}`);
  assert.equal(messageNonce(toHex(lower)), 7n);
  assert.equal(messageNonce(`0x${'ff'.repeat(16)}${'07'.padStart(32, '0')}`), 7n);
  assert.equal(messageNonce(`0x${'00'.repeat(32)}`), 0n);
});
