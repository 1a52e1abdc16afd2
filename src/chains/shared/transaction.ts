import { ApiError } from '../../base/errors.ts';
import type { Curve } from '../../crypto/curve-type.ts';
import type { RawSignature, SignatureScheme, ToSign } from '../../crypto/signing-types.ts';
import type { Value } from '../../policy/index.ts';
import type { Reading } from './transfers.ts';

/** The requested signing key. `publicKey`: 33 bytes compressed, or 32 bytes of Ed25519. */
export type TransactionSigner = {
  curve: Curve;
  publicKey: Uint8Array;
  /** The address that names the key, and its ADDRESS_FORMAT_…; undefined if the key is named by its id. */
  address?: { text: string; format: string };
};

/** A contract's interface as JSON text (an ABI, an IDL), by the address that `contracts` names. */
export type ContractInterfaces = ReadonlyMap<string, string>;

/** An unsigned transaction, read once: the policy view and the signed data come from the same bytes. */
export type UnsignedTransaction = {
  /** Addresses of the contracts that are called, in the form under which their interfaces are stored. */
  contracts: readonly string[];
  /** The value of the type's `root`, as the chain's `policy-types.ts` declares it. Called only if a policy reads it. */
  view(interfaces: ContractInterfaces): { [field: string]: Value };
  /** The value of the type's `totals`, if it has one. */
  totals?(): { [field: string]: Value };
  /** What the signer loses by it, where that needs no second look at the bytes. `transferReaders` read the others. */
  transfers?(): Reading;
  /** In order; never empty. */
  toSign: readonly ToSign[];
  /** The signed transaction, from a signature for each of `toSign`, in the same order. */
  attach(signatures: readonly RawSignature[]): Uint8Array;
};

/** One row of a transaction type. */
export type TransactionType = {
  /** TRANSACTION_TYPE_… */
  name: string;
  /** The policies' keyword for it: `eth.tx`. */
  root: string;
  /** The keyword for all transactions of an activity together, if there is one: `eth.txs`. */
  totals?: string;
  curves: readonly Curve[];
  /** Its signature schemes. The key's curve and the address that names it select one. */
  schemes: readonly SignatureScheme[];
  /** The type of the contract interfaces that decode its calls, if there is one: SMART_CONTRACT_INTERFACE_TYPE_… */
  interfaceType?: string;
  /**
   * Reads exactly one unsigned transaction, in its one canonical encoding. Throws UNSUPPORTED_TRANSACTION_TYPE for a kind of
   * transaction that the type does not cover. Throws INVALID_TRANSACTION for trailing bytes, a non-canonical encoding, an exceeded
   * limit, or nothing for this key to sign.
   */
  parse(bytes: Uint8Array, signer: TransactionSigner): UnsignedTransaction;
};

/** INVALID_TRANSACTION with the reason, which quotes at most a few characters of the transaction. */
export function invalidTransaction(why: string): ApiError {
  return new ApiError('INVALID_TRANSACTION', `failed to parse transaction: ${why}`, {
    violations: [{ field: 'parameters.unsignedTransaction', description: why }],
  });
}
