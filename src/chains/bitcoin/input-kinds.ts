import { sameBytes } from '../../base/bytes.ts';
import { hash160 } from '../../crypto/hash.ts';
import { tapTweakPublicKey } from '../../crypto/points.ts';
import { invalidTransaction } from '../shared/transaction.ts';
import type { PsbtInput } from './psbt-inputs.ts';
import {
  checkSigScript,
  keyHashScript,
  paysToScript,
  paysToWitnessScript,
  scriptParts,
  taprootScript,
  witnessKeyScript,
} from './scripts.ts';
import { SIGHASH_ALL, SIGHASH_DEFAULT, type Signing } from './sighash.ts';

/** Size limits of Bitcoin's consensus rules (BIP-16, BIP-141). */
const MOST_REDEEM_SCRIPT = 520;
const MOST_WITNESS_SCRIPT = 10_000;

const OP_CODESEPARATOR = 0xab;

/** One row of a kind of input. */
type InputKind = {
  name: string;
  /** Pre-segwit signatures cover no amount: only the previous transaction proves it. */
  legacy: boolean;
  /** How the key signs an input of this kind. Undefined if the input is of another kind or not the key's. */
  signing(input: PsbtInput): Signing | undefined;
};

/** Whether the script pushes one of `names`. If so, throws where a signature would cover only a part of the script. */
function pushes(script: Uint8Array, names: readonly Uint8Array[], most: number, name: string): boolean {
  if (script.length > most) return false;
  const parts = scriptParts(script);
  if (!parts?.some(({ data }) => data && names.some((one) => sameBytes(one, data)))) return false;
  if (parts.some(({ opcode }) => opcode === OP_CODESEPARATOR)) {
    throw invalidTransaction(`the script of ${name} has OP_CODESEPARATOR, which is not supported`);
  }
  return true;
}

/** The kinds for a compressed public key of 33 bytes. Scripts with the uncompressed key do not match. */
function kindsOf(publicKey: Uint8Array): InputKind[] {
  const names = [publicKey, hash160(publicKey)];
  const keyHash = keyHashScript(publicKey);
  const witnessKey = witnessKeyScript(publicKey);
  const wrappedKey = paysToScript(witnessKey);
  const ownWitnessScript = paysToWitnessScript(checkSigScript(publicKey));
  const taproot = taprootScript(tapTweakPublicKey(publicKey));
  return [
    {
      name: 'P2PKH',
      legacy: true,
      signing: ({ spent }) => (sameBytes(spent.script, keyHash) ? { by: 'legacy', script: keyHash } : undefined),
    },
    {
      name: 'P2SH',
      legacy: true,
      signing({ name, spent, redeemScript }) {
        if (sameBytes(spent.script, wrappedKey))
          throw invalidTransaction(`${name} is segwit wrapped in P2SH, which is not supported`);
        if (!redeemScript || !pushes(redeemScript, names, MOST_REDEEM_SCRIPT, name)) return undefined;
        return { by: 'legacy', script: redeemScript };
      },
    },
    {
      name: 'P2WPKH',
      legacy: false,
      // BIP-143: P2WPKH signs the script of P2PKH.
      signing: ({ spent }) => (sameBytes(spent.script, witnessKey) ? { by: 'segwit', script: keyHash } : undefined),
    },
    {
      name: 'P2WSH',
      legacy: false,
      signing({ name, spent, witnessScript, finalized }) {
        if (!witnessScript) {
          if (!finalized && sameBytes(spent.script, ownWitnessScript))
            throw invalidTransaction(`${name} (P2WSH) needs witness_script`);
          return undefined;
        }
        if (!pushes(witnessScript, names, MOST_WITNESS_SCRIPT, name)) return undefined;
        return { by: 'segwit', script: witnessScript };
      },
    },
    {
      name: 'P2TR',
      legacy: false,
      signing({ name, spent, tapInternalKey, tapMerkleRoot }) {
        if (!sameBytes(spent.script, taproot)) return undefined;
        if (tapMerkleRoot) throw invalidTransaction(`${name} has a merkle root: only the key path without scripts is signed`);
        if (tapInternalKey && !sameBytes(tapInternalKey, publicKey.subarray(1))) {
          throw invalidTransaction(`tap_internal_key of ${name} is not the key that signs`);
        }
        return { by: 'taproot' };
      },
    },
  ];
}

function checkSignable(input: PsbtInput, kind: InputKind): void {
  const name = `${input.name} (${kind.name})`;
  // BIP-174: an input with a witness_utxo gets no pre-segwit signature.
  if (kind.legacy && (!input.hasNonWitnessUtxo || input.hasWitnessUtxo))
    throw invalidTransaction(`${name} must have non_witness_utxo and no witness_utxo`);
  if (input.finalized) throw invalidTransaction(`${name} is already finalized`);
  const sighash = kind.name === 'P2TR' ? SIGHASH_DEFAULT : SIGHASH_ALL;
  if (input.sighashType !== undefined && input.sighashType !== sighash) {
    throw invalidTransaction(`${name} is signed with ${sighash === SIGHASH_ALL ? 'SIGHASH_ALL' : 'SIGHASH_DEFAULT'} only`);
  }
}

const NAMED = /^ADDRESS_FORMAT_BITCOIN_[A-Z]+_(P2PKH|P2SH|P2WPKH|P2WSH|P2TR)$/;

/** The kinds that a key signs. An address that names the key gives its own kind; the key's id gives all ECDSA kinds. */
function kindNames(format: string | undefined): string[] {
  if (format === undefined) return ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH'];
  const name = NAMED.exec(format)?.[1];
  if (name === undefined) {
    throw invalidTransaction(
      'a PSBT is signed by a key that is named by its id or by a Bitcoin address: P2PKH, P2SH, P2WPKH, P2WSH or P2TR',
    );
  }
  return [name];
}

/**
 * Returns how the key signs an input: undefined for inputs that are not its own. Throws INVALID_TRANSACTION for its own inputs in
 * three cases:
 * - They are finalized.
 * - They want another SIGHASH.
 * - They are legacy and come with another UTXO than the previous transaction.
 */
export function signingOf(publicKey: Uint8Array, format: string | undefined): (input: PsbtInput) => Signing | undefined {
  const names = kindNames(format);
  const kinds = kindsOf(publicKey).filter(({ name }) => names.includes(name));
  return (input) => {
    for (const kind of kinds) {
      const signing = kind.signing(input);
      if (!signing) continue;
      checkSignable(input, kind);
      return signing;
    }
    return undefined;
  };
}
