import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeAddress, recoverAddress, Signature } from 'ethers';
import { TronWeb, utils } from 'tronweb';
import { ApiError } from '../../src/base/errors.ts';
import { tronTransaction } from '../../src/chains/tron/transaction.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import { publicKeyOf, signDigest } from '../../src/crypto/curves.ts';
import type { RawSignature } from '../../src/crypto/signing-types.ts';
import { rounds } from '../support/full.ts';
import { assertTexts } from '../support/policy-texts.ts';
import fc from '../support/properties.ts';

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const KEY = bytes('0123456789012345678901234567890123456789012345678901234567890123');
const publicKey = publicKeyOf('CURVE_SECP256K1', KEY);

const parse = (unsigned: Uint8Array) => tronTransaction.parse(Buffer.from(unsigned), { curve: 'CURVE_SECP256K1', publicKey });
const view = (unsigned: Uint8Array) => parse(unsigned).view(new Map());
const digestOf = (unsigned: Uint8Array) => asBuffer((parse(unsigned).toSign[0] as { digest: Uint8Array }).digest);
const sign = (unsigned: Uint8Array) => parse(unsigned).attach([signDigest('CURVE_SECP256K1', KEY, digestOf(unsigned))]);

function refusal(unsigned: Uint8Array): ApiError {
  try {
    parse(unsigned);
  } catch (error) {
    assert.ok(error instanceof ApiError, `another error: ${error}`);
    return error;
  }
  assert.fail(`accepted ${Buffer.from(unsigned).toString('hex')}`);
}

// Answers of nodes. The first three: tronprotocol/documentation-en, docs/api/http (createtransaction, triggerconstantcontract,
// freezebalancev2); the last: docs.getblock.io, accountpermissionupdate.
const published = [
  {
    txID: '6303c7639f591407ef9f34a7ac8c9c9a21151f5a6af21924502515734fc267ab',
    raw: '0a0229272208939ece39d08a7abe40d8c483c1dd335a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a1541dd791d6b49e190062d650e6a23c575510d35f2f912154192ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a18c0843d70d68780c1dd33',
    contract: {
      type: 'TransferContract',
      permission_id: 0n,
      owner_address: 'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
      to_address: 'TPLkz8rzTT7gKRS1bUm3hBcvw1EExAbKTV',
      amount: 1_000_000n,
    },
  },
  {
    txID: 'cff6488e738ce77f7325572fe0aa2470f87dbf1c95eeeb2c25feec59d5afa35c',
    raw: '0a0228c022089eabbe133123b34c40d0d6f0c0dd335a8e01081f1289010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412540a1541dd791d6b49e190062d650e6a23c575510d35f2f9121541eca9bc828a3005b9a3b909f2cc5c2a54794de05f222470a08231000000000000000000000000dd791d6b49e190062d650e6a23c575510d35f2f970cb97edc0dd33',
    contract: {
      type: 'TriggerSmartContract',
      permission_id: 0n,
      owner_address: 'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
      contract_address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
      call_value: 0n,
      data: '70a08231000000000000000000000000dd791d6b49e190062d650e6a23c575510d35f2f9',
      call_token_value: 0n,
      token_id: 0n,
    },
  },
  {
    txID: '081256264131fbc9f3d4686aab15ae69c0e77b39d276367c11a7ab13e39747ec',
    raw: '0a02283b220851bf0b88daaaea3740b8a9d8c0dd335a5b083612570a34747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e467265657a6542616c616e63655632436f6e7472616374121f0a1541dd791d6b49e190062d650e6a23c575510d35f2f9108094ebdc03180170d8e7d4c0dd33',
    contract: {
      type: 'FreezeBalanceV2Contract',
      permission_id: 0n,
      owner_address: 'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
      frozen_balance: 1_000_000_000n,
      resource: 'ENERGY',
    },
  },
  {
    txID: '5914f3b4c29ab514e26be662f6028c1c5a82677acf0c88904d41a9bdd3d66877',
    raw: '0a02848a2208305274c7f1f088da40889accf0e5325aea01082e12e5010a3c747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e4163636f756e745065726d697373696f6e557064617465436f6e747261637412a4010a1541fd49eda0f23ff7ec1d03b52c3a45991c24cd440e12241a056f776e657220013a190a1541fd49eda0f23ff7ec1d03b52c3a45991c24cd440e1001226508021a0761637469766530200232207fff1fc0037e00000000000000000000000000000000000000000000000000003a190a1541fd49eda0f23ff7ec1d03b52c3a45991c24cd440e10013a190a154198927ffb9f554dc4a453c64b2e553a02d6df514b100170c0cac8f0e532',
    contract: {
      type: 'AccountPermissionUpdateContract',
      permission_id: 0n,
      owner_address: 'TZ4UXDV5ZhNW7fb2AMSbgfAEZ7hWsnYS2g',
      owner: {
        type: 'Owner',
        id: 0n,
        permission_name: 'owner',
        threshold: 1n,
        parent_id: 0n,
        operations: '',
        keys: [{ address: 'TZ4UXDV5ZhNW7fb2AMSbgfAEZ7hWsnYS2g', weight: 1n }],
      },
      actives: [
        {
          type: 'Active',
          id: 2n,
          permission_name: 'active0',
          threshold: 2n,
          parent_id: 0n,
          operations: '7fff1fc0037e0000000000000000000000000000000000000000000000000000',
          keys: [
            { address: 'TZ4UXDV5ZhNW7fb2AMSbgfAEZ7hWsnYS2g', weight: 1n },
            { address: 'TPswDDCAWhJAZGdHPidFg5nEf8TkNToDX1', weight: 1n },
          ],
        },
      ],
    },
  },
];

test('transactions that nodes made: their ids, and what they say', () => {
  for (const { txID, raw, contract } of published) {
    assert.equal(digestOf(bytes(raw)).toString('hex'), txID);
    assert.deepEqual(view(bytes(raw)).contract, [contract]);
  }
});

// tronweb reads and writes with the chain's own protobuf definitions, compiled to JavaScript by protoc.

const hexOf = (size: number) => fc.uint8Array({ minLength: size, maxLength: size }).map((b) => Buffer.from(b).toString('hex'));
const address = hexOf(20).map((hex) => `41${hex}`);
const amount = fc.oneof(fc.constant(0), fc.nat(), fc.maxSafeNat());
const memo = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((b) => Buffer.from(b).toString('hex'));
const resource = fc.constantFrom('BANDWIDTH', 'ENERGY');
const permission = (type: number) =>
  fc.record({
    type: fc.constant(type),
    id: fc.nat(9),
    permission_name: fc.string({ unit: 'grapheme', maxLength: 12 }),
    threshold: amount,
    parentId: fc.nat(3),
    operations: fc.option(hexOf(32), { nil: undefined }),
    keys: fc.array(fc.record({ address, weight: amount }), { maxLength: 5 }),
  });

const owner = { owner_address: address };
const values: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  TransferContract: fc.record({ ...owner, to_address: address, amount }),
  TriggerSmartContract: fc.record({
    ...owner,
    contract_address: address,
    call_value: amount,
    data: fc.option(memo, { nil: undefined }),
    call_token_value: amount,
    token_id: amount,
  }),
  DelegateResourceContract: fc.record({
    ...owner,
    receiver_address: address,
    balance: amount,
    resource,
    lock: fc.boolean(),
    lock_period: amount,
  }),
  UnDelegateResourceContract: fc.record({ ...owner, receiver_address: address, balance: amount, resource }),
  FreezeBalanceV2Contract: fc.record({ ...owner, frozen_balance: amount, resource }),
  UnfreezeBalanceV2Contract: fc.record({ ...owner, unfreeze_balance: amount, resource }),
  AccountPermissionUpdateContract: fc.record({
    ...owner,
    owner: permission(0),
    witness: fc.option(permission(1), { nil: undefined }),
    actives: fc.array(permission(2), { maxLength: 4 }),
  }),
};

const anyTransaction = fc.constantFrom(...Object.keys(values)).chain((type) =>
  fc
    .record({
      value: values[type]!,
      Permission_id: fc.nat(9),
      ref_block_bytes: hexOf(2),
      ref_block_hash: hexOf(8),
      expiration: amount,
      timestamp: amount,
      fee_limit: amount,
      data: fc.option(memo, { nil: undefined }),
    })
    .map(({ value, Permission_id, ...raw }) => {
      const contract = [{ type, Permission_id, parameter: { value, type_url: `type.googleapis.com/protocol.${type}` } }];
      const pb = utils.transaction.txJsonToPb({ visible: false, raw_data: { ...raw, contract } });
      return { type, raw: bytes(utils.transaction.txPbToRawDataHex(pb)), txID: utils.transaction.txPbToTxID(pb).slice(2) };
    }),
);

/** A message of tronweb's protobuf: its fields as `toObject` gives them, bytes in base64, lists under `<name>List`. */
type PbObject = { [field: string]: unknown };
type Pb = { toObject(): PbObject; getType(): number; getParameter(): { getValue(): Uint8Array; getTypeUrl(): string } };
type PbTransaction = {
  getRawData(): Pb & { serializeBinary(): Uint8Array; getContractList(): Pb[] };
  getSignatureList_asU8(): Uint8Array[];
};
const proto = (globalThis as unknown as { TronWebProto: { [type: string]: { deserializeBinary(data: Uint8Array): unknown } } })
  .TronWebProto;

const base58 = (base64: string) => TronWeb.address.fromHex(Buffer.from(base64, 'base64').toString('hex'));
const BYTES = new Set(['data', 'operations', 'ref_block_bytes', 'ref_block_hash']);

/** The fields of a message, with the names that policies use. */
function said(object: PbObject): { [field: string]: unknown } {
  const result: { [field: string]: unknown } = {};
  for (const [camel, value] of Object.entries(object)) {
    const name = camel.replace(/List$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (Array.isArray(value)) result[name] = value.map(said);
    else if (typeof value === 'object' && value !== null) result[name] = said(value as PbObject);
    else if (name === 'resource') result[name] = ['BANDWIDTH', 'ENERGY'][value as number];
    else if (name === 'type') result[name] = ['Owner', 'Witness', 'Active'][value as number];
    else if (name.endsWith('address')) result[name] = base58(value as string);
    else if (BYTES.has(name)) result[name] = Buffer.from(value as string, 'base64').toString('hex');
    else if (value !== undefined) result[name] = typeof value === 'number' ? BigInt(value) : value;
  }
  return result;
}

type Permissions = { owner?: { id: bigint }; witness?: { id: bigint }; actives: { id: bigint }[] };

/** Nodes number them 0, 1, and from 2 on, whatever the sender wrote. */
function numberAsNodesDo({ owner, witness, actives }: Permissions): void {
  if (owner) owner.id = 0n;
  if (witness) witness.id = 1n;
  for (const [i, active] of actives.entries()) active.id = BigInt(2 + i);
}

test('what policies saw of a transaction is what tronweb reads from the signed bytes; the key signed it', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(anyTransaction, ({ type, raw, txID }) => {
      seen.add(type);
      const signed = sign(raw);
      const transaction = proto.Transaction!.deserializeBinary(signed) as PbTransaction;
      const rawData = transaction.getRawData();
      assert.deepEqual(Buffer.from(rawData.serializeBinary()), raw);
      const [contract] = rawData.getContractList();
      const parameter = contract!.getParameter();
      const { permissionId } = contract!.toObject();
      assert.equal(parameter.getTypeUrl(), `type.googleapis.com/protocol.${type}`);
      const value = said((proto[type]!.deserializeBinary(parameter.getValue()) as Pb).toObject());
      if (type === 'AccountPermissionUpdateContract') numberAsNodesDo(value as Permissions);
      assertTexts('tron.tx', view(raw));
      const { refBlockBytes, refBlockHash, expiration, timestamp, data, feeLimit } = rawData.toObject();
      assert.deepEqual(view(raw), {
        ...said({ refBlockBytes, refBlockHash, expiration, timestamp, data, feeLimit }),
        contract: [{ type, permission_id: BigInt(permissionId as number), ...value }],
      });

      assert.equal(digestOf(raw).toString('hex'), txID);
      const [signature, ...more] = transaction.getSignatureList_asU8();
      assert.deepEqual(more, []);
      assert.ok(signature!.length === 65 && signature![64]! <= 1);
      const hex = `0x${Buffer.from(signature!).toString('hex')}`;
      assert.equal(recoverAddress(`0x${txID}`, Signature.from(hex)), computeAddress(`0x${publicKey.toString('hex')}`));
      // tronweb's own signature of the same digest has 27 and 28.
      const own = bytes(utils.crypto.ECKeySign([...bytes(txID)] as never, [...KEY] as never));
      assert.deepEqual(own, Buffer.concat([signature!.subarray(0, 64), Buffer.of(signature![64]! + 27)]));
    }),
    { numRuns: rounds(300) },
  );
  assert.deepEqual([...seen].sort(), Object.keys(values).sort());
});

// Messages written by hand, for what no library writes.

function varint(value: number | bigint): Buffer {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.of(...out, Number(rest));
}
const int = (number: number, value: number | bigint) => Buffer.concat([varint(number << 3), varint(value)]);
const len = (number: number, ...parts: Uint8Array[]) => {
  const all = Buffer.concat(parts);
  return Buffer.concat([varint((number << 3) | 2), varint(all.length), all]);
};
const A = bytes(`41${'11'.repeat(20)}`);
const B = bytes(`41${'22'.repeat(20)}`);
const url = (type: string) => len(1, Buffer.from(`type.googleapis.com/protocol.${type}`));
const contractOf = (number: number, type: string, ...value: Buffer[]) => [int(1, number), len(2, url(type), len(2, ...value))];
const transfer = contractOf(1, 'TransferContract', len(1, A), len(2, B), int(3, 5));
const head = [len(1, bytes('0102')), len(4, bytes('0102030405060708')), int(8, 9000)];
const rawOf = (...contract: Buffer[]) => Buffer.concat([...head, len(11, ...contract), int(14, 8000)]);
const delegate = (...end: Buffer[]) => rawOf(...contractOf(57, 'DelegateResourceContract', len(1, A), ...end));
const permissions = (...owner: Buffer[]) =>
  rawOf(...contractOf(46, 'AccountPermissionUpdateContract', len(1, A), len(2, ...owner)));

test('numbers of all sizes', () => {
  const largest = 2n ** 63n - 1n;
  for (const value of [1n, 127n, 128n, 2n ** 31n, 2n ** 53n + 1n, largest, -1n, -largest - 1n]) {
    const raw = rawOf(...contractOf(1, 'TransferContract', len(1, A), len(2, B), int(3, value)), int(5, 2));
    const { contract } = view(raw) as { contract: { amount: bigint; permission_id: bigint }[] };
    assert.deepEqual([contract[0]!.amount, contract[0]!.permission_id], [value, 2n]);
  }
  const resources = view(rawOf(...contractOf(54, 'FreezeBalanceV2Contract', len(1, A), int(2, 1), int(3, 2)))) as never as {
    contract: { resource: string }[];
  };
  assert.equal(resources.contract[0]!.resource, 'TRON_POWER');
});

test('anything but one canonical transaction with one contract is refused with the reason', () => {
  view(rawOf(...transfer));
  const canonical = /is not canonical protobuf/;
  const refused: [Buffer, RegExp][] = [
    [Buffer.alloc(0), /exactly one contract, not 0/],
    [Buffer.alloc(65_537), /more than 65536 bytes/],
    [Buffer.concat(head), /exactly one contract, not 0/],
    [Buffer.concat([...head, len(11, ...transfer), len(11, ...transfer)]), /exactly one contract, not 2/],
    [Buffer.concat([rawOf(...transfer), Buffer.of(0)]), /raw is not a protobuf|raw has a field 0/],
    [rawOf(...transfer).subarray(0, -1), /raw is not/],
    [Buffer.alloc(60_000, 0x4b), /raw is not a protobuf/],
    [Buffer.concat(Array.from({ length: 65 }, () => len(11))), /contract has more than 64 entries/],
    [permissions(...Array.from({ length: 65 }, () => len(7, len(1, A)))), /keys has more than 64 entries/],
    // Fields that we do not read: ref_block_num, auths, scripts; provider, ContractName; an extra one in Any, in the value, in a key.
    [Buffer.concat([head[0]!, int(3, 1), ...head.slice(1), len(11, ...transfer)]), /raw has a field 3,/],
    [Buffer.concat([...head, len(9, A), len(11, ...transfer)]), /raw has a field 9,/],
    [Buffer.concat([...head, len(11, ...transfer), len(12, A)]), /raw has a field 12,/],
    [rawOf(...transfer, len(3, A)), /Contract has a field 3,/],
    [rawOf(...transfer, len(4, A)), /Contract has a field 4,/],
    [rawOf(int(1, 1), len(2, url('TransferContract'), len(2, A), len(3, A))), /Any has a field 3,/],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), len(2, B), int(4, 1))), /TransferContract has a field 4,/],
    [permissions(len(7, len(1, A), int(3, 1))), /Key has a field 3,/],
    // Repeated fields, another order, a default that is written out, and numbers and lengths in more bytes than needed.
    [Buffer.concat([...head, int(8, 9001), len(11, ...transfer)]), canonical],
    [rawOf(...transfer, transfer[1]!), canonical],
    [rawOf(int(1, 1), len(2, url('TransferContract')), len(2, len(2, len(1, A), len(2, B)))), canonical],
    [Buffer.concat([head[1]!, head[0]!, len(11, ...transfer)]), canonical],
    [rawOf(transfer[1]!, transfer[0]!), canonical],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), len(2, B), int(3, 5), int(3, 6))), canonical],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), len(2, B), int(3, 0))), canonical],
    [rawOf(...contractOf(1, 'TransferContract', len(2, B), len(1, A))), canonical],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), len(2, B), bytes('188500'))), canonical],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), len(2, B), bytes('980005'))), canonical],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), bytes('129500'), B)), canonical],
    [rawOf(...transfer, bytes('28ffffffff0f')), canonical],
    [rawOf(...transfer, bytes('288280808010')), canonical],
    [delegate(int(3, 5), len(4, B), int(5, 2)), canonical],
    // A length that reaches beyond its message.
    [Buffer.concat([...head, bytes('5a04'), ...transfer]), /raw is not|raw has a field/],
    // Another type than the contract's number or name has.
    [rawOf(...contractOf(1, 'TransferAssetContract', len(1, A), len(2, B))), /must be of type type.googleapis.com\/protocol.Tr/],
    [rawOf(int(1, 1), len(2, len(1, Buffer.from('protocol.TransferContract')), len(2, len(1, A)))), /must be of type/],
    [rawOf(int(1, 31), transfer[1]!), /parameter of a TriggerSmartContract must be of type/],
    [rawOf(int(1, 1)), /must be of type/],
    [delegate(int(2, 3), len(4, B)), /resource must be one of BANDWIDTH, ENERGY, TRON_POWER/],
    [permissions(int(1, 3)), /type must be one of Owner, Witness, Active/],
    [permissions(len(3, bytes('ff'))), /AccountPermissionUpdateContract is not/],
    [permissions(len(7, len(1, A.subarray(1)))), /address must have 21 bytes/],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), int(3, 5))), /to_address must have 21 bytes/],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), len(2, bytes(`a0${'22'.repeat(20)}`)))), /to_address must have/],
    [rawOf(...contractOf(1, 'TransferContract', len(1, A), len(2, B, Buffer.of(0)))), /to_address must have/],
    [rawOf(...contractOf(1, 'TransferContract', int(1, 5), len(2, B))), /TransferContract is not/],
  ];
  for (const [raw, why] of refused) {
    const error = refusal(raw);
    assert.equal(error.code, 'INVALID_TRANSACTION');
    assert.match(error.message, why, `${error.message}: ${raw.toString('hex')}`);
  }
});

test('other contract types are unsupported, and the error lists those that are not', () => {
  for (const type of [0, 2, 3, 4, 11, 12, 13, 30, 59, 1000, -1]) {
    const { code, message } = refusal(type === 0 ? rawOf(transfer[1]!) : rawOf(int(1, type), transfer[1]!));
    assert.equal(code, 'UNSUPPORTED_TRANSACTION_TYPE');
    assert.match(
      message,
      new RegExp(`contract type ${type} is not one of TransferContract \\(1\\), .*UnDelegateResourceContract`),
    );
  }
});

test('damaged transactions: a typed refusal, or the very bytes that are signed', () => {
  const damage = fc.tuple(anyTransaction, fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(2)), { maxLength: 3 }));
  const signature: RawSignature = { r: Buffer.alloc(32, 1), s: Buffer.alloc(32, 2), v: 1 };
  const outcomes = { accepted: 0, refused: 0 };
  const attempt = (raw: Uint8Array) => {
    let parsed: ReturnType<typeof parse>;
    try {
      parsed = parse(raw);
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      assert.match(error.code, /^(INVALID_TRANSACTION|UNSUPPORTED_TRANSACTION_TYPE)$/);
      assert.ok(error.message.length < 400);
      outcomes.refused++;
      return;
    }
    parsed.view(new Map());
    const last = len(2, signature.r, signature.s, Buffer.of(signature.v));
    assert.deepEqual(asBuffer(parsed.attach([signature])), Buffer.concat([len(1, raw), last]));
    outcomes.accepted++;
  };
  fc.assert(
    fc.property(damage, ([{ raw }, edits]) => {
      let damaged = raw;
      for (const [at, byte, kind] of edits) {
        const i = at % damaged.length;
        const rest = damaged.subarray(kind === 0 ? i + 1 : i + kind - 1);
        damaged = Buffer.concat([damaged.subarray(0, i), Buffer.of(byte), rest]);
      }
      attempt(damaged);
    }),
    { numRuns: rounds(3000) },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), attempt), { numRuns: rounds(1000) });
  assert.ok(outcomes.accepted > rounds(300) && outcomes.refused > rounds(1000), JSON.stringify(outcomes));
});
