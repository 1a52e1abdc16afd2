import { concat, toHex } from '../../base/bytes.ts';
import { keccak256 } from '../../crypto/hash.ts';
import type { RawSignature } from '../../crypto/signing-types.ts';
import { ethereumAccount } from '../ethereum/address.ts';
import { type Rlp, readRlpList, rlpBytes, rlpList, rlpNumber, writeRlp } from '../ethereum/rlp.ts';
import { readFields } from '../ethereum/transaction-fields.ts';
import { invalidTransaction, type TransactionType } from '../shared/transaction.ts';

/** The largest transaction that nodes accept, as on Ethereum. */
const LONGEST = 131_072;

const TYPE = 0x76;
const FIELDS = 13;
/** The place of the fee payer's signature. */
const PAYER = 11;

/** Placeholder for the signature of a fee payer that has not signed yet. */
const SPONSORED = '0x00';

function checkFieldCount(items: readonly Rlp[]): void {
  if (items.length === FIELDS) return;
  if (items.length > FIELDS && typeof items.at(-1) === 'string')
    throw invalidTransaction('it is already signed: send it without the signature');
  if (items.length === FIELDS + 1) throw invalidTransaction('it authorizes another key, which no policy would see');
  throw invalidTransaction(`an unsigned transaction of this type has ${FIELDS} fields, not ${items.length}`);
}

/** The token in which the sender pays the fee; empty if not given, or if a fee payer pays. */
function readFeeToken(token: Rlp | undefined, payer: Rlp | undefined): string {
  if (payer !== '0x' && payer !== SPONSORED)
    throw invalidTransaction('the sender signs 0x00 in place of the fee payer’s signature, and no fee token: send it so');
  if (token === '0x') return '';
  if (payer === SPONSORED)
    throw invalidTransaction('a sponsored transaction must not name a fee token: the fee payer chooses it');
  return rlpBytes(token, 'the fee token', 20);
}

function readCall(item: Rlp, i: number) {
  const { to, value, data } = readFields(rlpList(item, `call ${i}`, 3), ['to', 'value', 'data']);
  return { to, value, input: data, function_signature: data.length >= 10 ? data.slice(0, 10) : '' };
}

/** All fields that policies see except the sender. */
function readView(items: readonly Rlp[]) {
  checkFieldCount(items);
  const [chainId, priorityFee, maxFee, gas, calls, accessList, nonceKey, nonce, before, after, token, payer, delegations] = items;
  readFields([accessList!], ['accessList']);
  rlpNumber(nonceKey, 'the nonce key');
  if (rlpList(delegations, 'the authorization list').length > 0)
    throw invalidTransaction('it has an authorization list, which no policy would see');
  const view = {
    chain_id: rlpNumber(chainId, 'the chain id', 64),
    nonce: rlpNumber(nonce, 'the nonce', 64),
    gas_limit: rlpNumber(gas, 'the gas limit', 64),
    max_fee_per_gas: rlpNumber(maxFee, 'the maximum fee', 128),
    max_priority_fee_per_gas: rlpNumber(priorityFee, 'the maximum priority fee', 128),
    fee_token: readFeeToken(token, payer),
    valid_before: rlpNumber(before, 'valid_before', 64),
    valid_after: rlpNumber(after, 'valid_after', 64),
    calls: rlpList(calls, 'the calls').map(readCall),
  };
  if (view.chain_id === 0n) throw invalidTransaction('the chain id must not be 0');
  if (view.calls.length === 0) throw invalidTransaction('it must have at least one call');
  if (view.valid_before !== 0n && view.valid_before <= view.valid_after)
    throw invalidTransaction('valid_before must be after valid_after');
  return view;
}

/** Reads exactly one unsigned transaction. `isSponsored`: a fee payer pays. Throws INVALID_TRANSACTION. */
export function readUnsigned(bytes: Uint8Array) {
  if (bytes.length > LONGEST) throw invalidTransaction(`it has more than ${LONGEST} bytes`);
  if (bytes[0] !== TYPE) throw invalidTransaction('its first byte must be 0x76');
  const items = readRlpList(bytes.subarray(1));
  return { items, view: readView(items), isSponsored: items[PAYER] === SPONSORED };
}

/**
 * A transaction of Tempo (docs.tempo.xyz, “Tempo Transactions Specification”): 0x76 and the RLP list of its 13 fields. Its digest
 * is their Keccak-256. The signed transaction has the signature as its last field: r ‖ s ‖ 27 or 28. If a fee payer is to pay, the
 * signed transaction goes to the fee payer. The fee payer replaces 0x00 with its signature. Authorizations of keys and delegations
 * are refused: they would give an account away unseen by policies.
 */
export const tempoTransaction: TransactionType = {
  name: 'TRANSACTION_TYPE_TEMPO',
  root: 'tempo.tx',
  curves: ['CURVE_SECP256K1'],
  schemes: ['ecdsa'],
  parse(bytes, signer) {
    const { items, view } = readUnsigned(bytes);
    return {
      contracts: [],
      view: () => ({ ...view, from: `0x${toHex(ethereumAccount(signer.publicKey))}` }),
      toSign: [{ digest: keccak256(bytes) }],
      attach([signature]) {
        const { r, s, v } = signature as RawSignature;
        const last = concat([r, s, Uint8Array.of(27 + v)]);
        return concat([Uint8Array.of(TYPE), writeRlp([...items, `0x${toHex(last)}`])]);
      },
    };
  },
};
