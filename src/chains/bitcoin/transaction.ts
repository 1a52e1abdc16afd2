import { concat, littleEndian, toHex } from '../../base/bytes.ts';
import { encodeEcdsaSignature } from '../../crypto/der.ts';
import type { RawSignature } from '../../crypto/signing-types.ts';
import { invalidTransaction, type TransactionSigner, type TransactionType } from '../shared/transaction.ts';
import { feeOf, type Own, provenAmounts } from './amounts.ts';
import { signingOf } from './input-kinds.ts';
import { networkOf, scriptAddress } from './outputs.ts';
import { type Psbt, readPsbt, writePsbt } from './psbt.ts';
import { partialSignatureKey, readInputs, tapSignatureKey } from './psbt-inputs.ts';
import type { RawTransaction } from './raw-transaction.ts';
import { SIGHASH_ALL, sighasher } from './sighash.ts';

/** nLockTime is a block height below this value, and a time from it on. */
const LOCKTIME_THRESHOLD = 500_000_000;

type Amounts = { fee: bigint; proven: readonly boolean[] };

/** A transaction as policies see it. `format`: of the address that names the key; it selects the network. */
export function transactionView(
  { version, inputs, outputs, locktime }: RawTransaction,
  { fee, proven }: Amounts,
  format: string | undefined,
) {
  const network = networkOf(format);
  return {
    version: `${version}`,
    inputs: inputs.map(({ outpoint, sequence }, i) => ({
      tx_id: toHex(new Uint8Array(outpoint.subarray(0, 32)).reverse()),
      vout: BigInt(littleEndian(outpoint, 32, 4)),
      sequence: BigInt(sequence),
      amount_proven: proven[i]!,
    })),
    outputs: outputs.map(({ value, script }) => ({
      value,
      script_pubkey: toHex(script),
      ...scriptAddress(script, network),
    })),
    locktime: { amount: BigInt(locktime), type: locktime < LOCKTIME_THRESHOLD ? 'Blocks' : 'Seconds' },
    fee,
  };
}

function pairOf({ signing }: Own, { r, s }: RawSignature, publicKey: Uint8Array): [key: string, value: Uint8Array] {
  const compact = concat([r, s]);
  if (signing.by === 'taproot') return [tapSignatureKey, compact];
  return [partialSignatureKey(publicKey), concat([encodeEcdsaSignature(compact), Uint8Array.of(SIGHASH_ALL)])];
}

function withSignatures(psbt: Psbt, own: readonly Own[], signatures: readonly RawSignature[], publicKey: Uint8Array): Psbt {
  if (signatures.length !== own.length) throw new Error('a signature is needed for each digest');
  const inputs = [...psbt.inputs];
  for (const [k, one] of own.entries()) {
    const [key, value] = pairOf(one, signatures[k]!, publicKey);
    inputs[one.i] = new Map([...inputs[one.i]!, [key, value]]);
  }
  return { ...psbt, inputs };
}

function noInput({ address }: TransactionSigner) {
  return invalidTransaction(
    address
      ? 'none of its inputs spends an output of the kind of this address that this key can sign for'
      : 'none of its inputs spends an output that this key can sign for; for P2TR, name the key by its P2TR address',
  );
}

/** Reads exactly one PSBT that the key signs. `own` is not empty. Throws INVALID_TRANSACTION. */
export function readUnsigned(bytes: Uint8Array, signer: TransactionSigner) {
  const signingOfInput = signingOf(signer.publicKey, signer.address?.format);
  const psbt = readPsbt(bytes);
  const inputs = readInputs(psbt);
  const fee = feeOf(inputs, psbt.transaction);
  const own = inputs.flatMap((input, i): Own[] => {
    const signing = signingOfInput(input);
    return signing ? [{ i, signing }] : [];
  });
  if (own.length === 0) throw noInput(signer);
  return { psbt, inputs, fee, own, proven: provenAmounts(inputs, own) };
}

/**
 * PSBTs of version 0 (BIP-174, BIP-371). The key signs its own inputs with SIGHASH_ALL. They spend its P2PKH and P2WPKH outputs,
 * and P2SH and P2WSH outputs whose script pushes the key or its hash. A key named by a P2TR address signs the key path of that
 * address (BIP-86) with SIGHASH_DEFAULT. The PSBT is returned with all its pairs, not finalized. Limits are in `readPsbt` and
 * `sighasher`.
 */
export const bitcoinTransaction: TransactionType = {
  name: 'TRANSACTION_TYPE_BITCOIN',
  root: 'bitcoin.tx',
  curves: ['CURVE_SECP256K1'],
  schemes: ['ecdsa', 'bip341'],
  parse(bytes, signer) {
    const { publicKey, address } = signer;
    const { psbt, inputs, fee, own, proven } = readUnsigned(bytes, signer);
    const digestOf = sighasher(
      psbt.transaction,
      inputs.map(({ spent }) => spent),
    );
    return {
      contracts: [],
      view: () => transactionView(psbt.transaction, { fee, proven }, address?.format),
      toSign: own.map(({ i, signing }) => ({ digest: digestOf(i, signing) })),
      attach: (signatures) => writePsbt(withSignatures(psbt, own, signatures, publicKey)),
    };
  },
};
