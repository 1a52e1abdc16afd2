import { concat, toHex } from '../../base/bytes.ts';
import { keccak256 } from '../../crypto/hash.ts';
import type { RawSignature } from '../../crypto/signing-types.ts';
import type { Value } from '../../policy/index.ts';
import { invalidTransaction, type TransactionSigner, type TransactionType } from '../shared/transaction.ts';
import { type Reading, readingOf } from '../shared/transfers.ts';
import { decodeCall } from './abi.ts';
import { ethereumAccount } from './address.ts';
import { fieldsTransfers } from './read-transfers.ts';
import { type Rlp, readRlpList, rlpNumber, rlpOfNumber, writeRlp } from './rlp.ts';
import { type EthereumFields, readFields } from './transaction-fields.ts';

/** The largest transaction that nodes accept (go-ethereum's pool). */
export const LONGEST = 131_072;

/** A typed envelope (EIP-2718). `name`: as policies see it. */
type TypedEnvelope = { name: string; fields: readonly (keyof EthereumFields)[] };

const FEES_1559 = ['maxPriorityFeePerGas', 'maxFeePerGas'] as const;
const CALL = ['gas', 'to', 'value', 'data'] as const;

export const envelopes: ReadonlyMap<number, TypedEnvelope> = new Map<number, TypedEnvelope>([
  [0x01, { name: 'TYPE_1', fields: ['chainId', 'nonce', 'gasPrice', ...CALL, 'accessList'] }],
  [0x02, { name: 'TYPE_2', fields: ['chainId', 'nonce', ...FEES_1559, ...CALL, 'accessList'] }],
  [
    0x03,
    {
      name: 'TYPE_3',
      fields: ['chainId', 'nonce', ...FEES_1559, ...CALL, 'accessList', 'maxFeePerBlobGas', 'blobVersionedHashes'],
    },
  ],
  [0x04, { name: 'TYPE_4', fields: ['chainId', 'nonce', ...FEES_1559, ...CALL, 'accessList', 'authorizationList'] }],
]);

export const LEGACY = ['nonce', 'gasPrice', ...CALL] as const;

type Parsed = {
  name: string;
  fields: EthereumFields;
  /** The list that the signature is appended to, and the prefix before it. */
  items: readonly Rlp[];
  prefix: Uint8Array;
  /** The parity field: v of a legacy transaction, y parity of the others. */
  parity(v: number): bigint;
};

function parseTyped(bytes: Uint8Array): Parsed {
  const type = bytes[0]!;
  const envelope = envelopes.get(type);
  if (!envelope) throw invalidTransaction(`its type 0x${type.toString(16).padStart(2, '0')} is not one of 0x01 to 0x04`);
  const items = readRlpList(bytes.subarray(1));
  const expected = envelope.fields.length;
  if (items.length === expected + 3) throw invalidTransaction('it is already signed: send it without y parity, r and s');
  if (type === 0x03 && items.length === 4 && typeof items[0] !== 'string')
    throw invalidTransaction('send a blob transaction without its blobs, commitments and proofs');
  if (items.length !== expected)
    throw invalidTransaction(`an unsigned transaction of this type has ${expected} fields, not ${items.length}`);
  const fields = readFields(items, envelope.fields);
  return { name: envelope.name, fields, items, prefix: Uint8Array.of(type), parity: (v) => BigInt(v) };
}

/** Six fields, or nine with the chain id and two empty ones (EIP-155). */
function parseLegacy(bytes: Uint8Array): Parsed {
  const items = readRlpList(bytes);
  const fields = readFields(items, LEGACY);
  const legacy = { name: 'LEGACY', items: items.slice(0, 6), prefix: new Uint8Array(0) };
  if (items.length === 6) return { ...legacy, fields, parity: (v) => BigInt(27 + v) };
  if (items.length !== 9) throw invalidTransaction(`an unsigned legacy transaction has 6 or 9 fields, not ${items.length}`);
  if (items[7] !== '0x' || items[8] !== '0x') throw invalidTransaction('it is already signed: send it without v, r and s');
  const chainId = rlpNumber(items[6], 'the chain id');
  if (chainId === 0n) throw invalidTransaction('the chain id must not be 0');
  return { ...legacy, fields: { ...fields, chainId }, parity: (v) => 35n + 2n * chainId + BigInt(v) };
}

/** Reads exactly one unsigned transaction. Throws INVALID_TRANSACTION. */
export function readUnsigned(bytes: Uint8Array): Parsed {
  if (bytes.length > LONGEST) throw invalidTransaction(`it has more than ${LONGEST} bytes`);
  if (bytes.length === 0) throw invalidTransaction('it is empty');
  // Lists begin at 0xc0; lower first bytes are types (EIP-2718).
  return bytes[0]! >= 0xc0 ? parseLegacy(bytes) : parseTyped(bytes);
}

const accountOf = ({ publicKey }: TransactionSigner): string => `0x${toHex(ethereumAccount(publicKey))}`;

const NAMESPACE = 'eip155';

/** What an unsigned transaction takes from the account of its signer. */
export const transfers = (bytes: Uint8Array, signer: TransactionSigner): Reading =>
  readingOf(NAMESPACE, () => fieldsTransfers(readUnsigned(bytes).fields, accountOf(signer)));

/** A transaction as policies see it. Unknown fields are left out, and cannot be read: the nonce, the gas. */
export function viewOf(
  { name, fields }: { name: string; fields: Omit<EthereumFields, 'nonce' | 'gas'> & { nonce?: bigint; gas?: bigint } },
  from: string,
  interfaceText: string | undefined,
): { [field: string]: Value } {
  const { data, nonce, gas } = fields;
  return {
    type: name,
    from,
    to: fields.to,
    data,
    value: fields.value,
    // A policy that limits the gas price then limits the fee of newer transactions too.
    gas_price: fields.gasPrice ?? fields.maxFeePerGas ?? 0n,
    chain_id: fields.chainId ?? 0n,
    ...(gas === undefined ? {} : { gas }),
    ...(nonce === undefined ? {} : { nonce }),
    max_fee_per_gas: fields.maxFeePerGas ?? 0n,
    max_priority_fee_per_gas: fields.maxPriorityFeePerGas ?? 0n,
    max_fee_per_blob_gas: fields.maxFeePerBlobGas ?? 0n,
    access_list: fields.accessList ?? [],
    blob_versioned_hashes: fields.blobVersionedHashes ?? [],
    authorization_list: fields.authorizationList ?? [],
    function_signature: data.length >= 10 ? data.slice(0, 10) : '',
    ...decodeCall(data, interfaceText),
  };
}

/** The root for all calls of a batch together. One transaction is a batch of one. */
export const TOTALS = 'eth.txs';

/** `values`: of all calls, in wei. */
export const totalsOf = (values: readonly bigint[]): { total_value: bigint } => ({
  total_value: values.reduce((sum, value) => sum + value, 0n),
});

/**
 * Legacy with and without EIP-155, EIP-2930, EIP-1559, EIP-4844 (the body) and EIP-7702.
 * The digest is always the Keccak-256 of the unsigned bytes.
 */
export const ethereumTransaction: TransactionType = {
  name: 'TRANSACTION_TYPE_ETHEREUM',
  root: 'eth.tx',
  totals: TOTALS,
  curves: ['CURVE_SECP256K1'],
  schemes: ['ecdsa'],
  interfaceType: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  parse(bytes, signer) {
    const parsed = readUnsigned(bytes);
    const { fields, items, prefix, parity } = parsed;
    return {
      contracts: fields.to === '' ? [] : [fields.to],
      totals: () => totalsOf([fields.value]),
      view: (interfaces) => viewOf(parsed, accountOf(signer), interfaces.get(fields.to)),
      transfers: () => readingOf(NAMESPACE, () => fieldsTransfers(fields, accountOf(signer))),
      toSign: [{ digest: keccak256(bytes) }],
      attach([signature]) {
        const { r, s, v } = signature as RawSignature;
        const number = (bytes32: Uint8Array) => rlpOfNumber(BigInt(`0x${toHex(bytes32)}`));
        return concat([prefix, writeRlp([...items, rlpOfNumber(parity(v)), number(r), number(s)])]);
      },
    };
  },
};
