import { concat, toHex } from '../../base/bytes.ts';
import { ApiError } from '../../base/errors.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { recoverPublicKey } from '../../crypto/recover.ts';
import { invalidTransaction } from '../shared/transaction.ts';
import { ethereumAccount } from './address.ts';
import { type Rlp, readRlpList, rlpNumber, rlpOfNumber, writeRlp } from './rlp.ts';
import { envelopes, LEGACY, LONGEST } from './transaction.ts';
import { type EthereumFields, readFields } from './transaction-fields.ts';

type Hex = `0x${string}`;

/** A transaction with its signature. `name`: its type, as policies see it. `from`: the signer, lower case. */
export type SignedTransaction = {
  readonly name: string;
  readonly fields: EthereumFields & { chainId: bigint };
  readonly from: Hex;
  readonly hash: Hex;
  /** What was signed: lower-case hex. */
  readonly digest: string;
};

const BLOBS = 0x03;

type Signature = readonly [parity: bigint, r: Rlp | undefined, s: Rlp | undefined];

function signerOf(digest: Uint8Array, [parity, r, s]: Signature): Hex {
  const numbers = [rlpNumber(r, 'r'), rlpNumber(s, 's')] as const;
  if (parity !== 0n && parity !== 1n) throw invalidTransaction('the y parity of its signature must be 0 or 1');
  const publicKey = recoverPublicKey(digest, ...numbers, Number(parity) as 0 | 1);
  if (publicKey === undefined) throw invalidTransaction('its signature is not valid: it belongs to no address');
  return `0x${toHex(ethereumAccount(publicKey))}`;
}

function readTyped(bytes: Uint8Array): Omit<SignedTransaction, 'hash'> {
  const type = bytes[0]!;
  const envelope = envelopes.get(type);
  if (envelope === undefined)
    throw invalidTransaction(`its type 0x${type.toString(16).padStart(2, '0')} is not one of 0x01, 0x02 and 0x04`);
  if (type === BLOBS)
    throw new ApiError('UNSUPPORTED_TRANSACTION_TYPE', 'unsupported transaction type: transactions with blobs are not sent');
  const items = readRlpList(bytes.subarray(1));
  const count = envelope.fields.length;
  if (items.length === count) throw invalidTransaction('it is not signed: y parity, r and s are missing');
  if (items.length !== count + 3)
    throw invalidTransaction(`a signed transaction of this type has ${count + 3} fields, not ${items.length}`);
  const unsigned = items.slice(0, count);
  const fields = readFields(unsigned, envelope.fields) as SignedTransaction['fields'];
  const digest = keccak256(concat([bytes.subarray(0, 1), writeRlp(unsigned)]));
  const [parity, r, s] = items.slice(count);
  const from = signerOf(digest, [rlpNumber(parity, 'the y parity', 8), r, s]);
  return { name: envelope.name, fields, from, digest: toHex(digest) };
}

function readLegacy(bytes: Uint8Array): Omit<SignedTransaction, 'hash'> {
  const items = readRlpList(bytes);
  if (items.length === 6) throw invalidTransaction('it is not signed: v, r and s are missing');
  if (items.length !== 9) throw invalidTransaction(`a signed legacy transaction has 9 fields, not ${items.length}`);
  const unsigned = items.slice(0, 6);
  const v = rlpNumber(items[6], 'v');
  if (v === 27n || v === 28n)
    throw invalidTransaction('it names no chain, so it is valid on every chain: sign it for one chain (EIP-155)');
  if (v < 37n) throw invalidTransaction('v must be 35 or 36, plus twice the chain id');
  const chainId = (v - 35n) >> 1n;
  const digest = keccak256(writeRlp([...unsigned, rlpOfNumber(chainId), '0x', '0x']));
  const from = signerOf(digest, [(v - 35n) & 1n, items[7], items[8]]);
  return { name: 'LEGACY', fields: { ...readFields(unsigned, LEGACY), chainId }, from, digest: toHex(digest) };
}

/**
 * Reads exactly one signed transaction in its canonical encoding: legacy with a chain id, EIP-2930, EIP-1559 or EIP-7702. Throws
 * INVALID_TRANSACTION. Throws UNSUPPORTED_TRANSACTION_TYPE for one with blobs: its bytes include data that no node keeps.
 */
export function readSignedTransaction(bytes: Uint8Array): SignedTransaction {
  if (bytes.length > LONGEST) throw invalidTransaction(`it has more than ${LONGEST} bytes`);
  if (bytes.length === 0) throw invalidTransaction('it is empty');
  // Lists begin at 0xc0; lower first bytes are types (EIP-2718).
  const read = bytes[0]! >= 0xc0 ? readLegacy(bytes) : readTyped(bytes);
  return { ...read, hash: `0x${toHex(keccak256(bytes))}` };
}
