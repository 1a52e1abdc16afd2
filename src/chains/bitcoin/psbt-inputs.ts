import { littleEndian, sameBytes, toHex } from '../../base/bytes.ts';
import { invalidTransaction } from '../shared/transaction.ts';
import type { Psbt, PsbtMap } from './psbt.ts';
import { type RawInput, type RawOutput, readOutputOf } from './raw-transaction.ts';
import { reader } from './reader.ts';
import { isPaysToScript, paysToScript, paysToWitnessScript, witnessProgram } from './scripts.ts';

const types = {
  nonWitnessUtxo: '00',
  witnessUtxo: '01',
  partialSignature: '02',
  sighashType: '03',
  redeemScript: '04',
  witnessScript: '05',
  finalScriptSig: '07',
  finalWitness: '08',
  tapKeySignature: '13',
  tapScriptSignature: '14',
  tapLeafScript: '15',
  tapDerivation: '16',
  tapInternalKey: '17',
  tapMerkleRoot: '18',
} as const;

/** The output that an input spends, and the PSBT's claims about it. */
export type PsbtInput = {
  /** `input 3`: for errors. */
  name: string;
  /** The output spent: from the previous transaction, whose txid was checked, or as `witness_utxo` claims. */
  spent: RawOutput;
  /** The PSBT has the previous transaction, which proves `spent`. */
  hasNonWitnessUtxo: boolean;
  hasWitnessUtxo: boolean;
  finalized: boolean;
  sighashType?: number;
  /** The output spent commits to each of these. */
  redeemScript?: Uint8Array;
  witnessScript?: Uint8Array;
  tapInternalKey?: Uint8Array;
  tapMerkleRoot?: Uint8Array;
};

/** PSBT keys of the signatures. */
export const partialSignatureKey = (publicKey: Uint8Array): string => types.partialSignature + toHex(publicKey);
export const tapSignatureKey: string = types.tapKeySignature;

function previousOutput(bytes: Uint8Array, { outpoint }: RawInput, name: string): RawOutput {
  const what = `non_witness_utxo of ${name}`;
  const index = littleEndian(outpoint, 32, 4);
  const { txid, output } = readOutputOf(bytes, what, index);
  if (!sameBytes(txid, outpoint.subarray(0, 32)))
    throw invalidTransaction(`${what} is not the transaction that it spends: its txid differs`);
  if (!output) throw invalidTransaction(`${what} has no output ${index}`);
  return output;
}

function claimedOutput(bytes: Uint8Array, name: string): RawOutput {
  const from = reader(bytes, `witness_utxo of ${name}`);
  const output = { value: from.uint64(), script: from.sized() };
  from.end();
  return output;
}

function spentOutput(map: PsbtMap, input: RawInput, name: string): RawOutput {
  const previous = map.get(types.nonWitnessUtxo);
  const claim = map.get(types.witnessUtxo);
  const spent = previous && previousOutput(previous, input, name);
  const claimed = claim && claimedOutput(claim, name);
  if (spent) {
    const differ = `non_witness_utxo and witness_utxo of ${name} differ`;
    if (claimed && spent.value !== claimed.value) throw invalidTransaction(`${differ}: the amounts are not the same`);
    if (claimed && !sameBytes(spent.script, claimed.script)) throw invalidTransaction(`${differ}: the scripts are not the same`);
    return spent;
  }
  if (!claimed)
    throw invalidTransaction(`${name} does not name the output that it spends: give non_witness_utxo or witness_utxo`);
  // P2SH may wrap a witness program. Other outputs without one need the previous transaction to prove their value.
  if (!witnessProgram(claimed.script) && !isPaysToScript(claimed.script)) {
    throw invalidTransaction(`${name} spends no segwit output: give non_witness_utxo, not witness_utxo`);
  }
  return claimed;
}

/** The leaf hashes of a PSBT_IN_TAP_BIP32_DERIVATION (BIP-371) mean a script path. */
function namesLeaves(derivation: Uint8Array, name: string): boolean {
  return reader(derivation, `tap_bip32_derivation of ${name}`).count(32) > 0;
}

function refuseScriptPath(map: PsbtMap, name: string): void {
  for (const [key, value] of map) {
    const type = key.slice(0, 2);
    const scriptPath =
      type === types.tapScriptSignature ||
      type === types.tapLeafScript ||
      (type === types.tapDerivation && namesLeaves(value, name));
    if (scriptPath) throw invalidTransaction(`${name} is spent by a taproot script path: only the key path is signed`);
  }
}

function refuseOtherScripts({ name, spent, redeemScript, witnessScript }: PsbtInput): void {
  if (redeemScript) {
    if (witnessProgram(redeemScript)) throw invalidTransaction(`${name} is segwit wrapped in P2SH, which is not supported`);
    if (!sameBytes(spent.script, paysToScript(redeemScript)))
      throw invalidTransaction(`redeem_script of ${name} does not match the output that it spends`);
  }
  if (witnessScript && !sameBytes(spent.script, paysToWitnessScript(witnessScript))) {
    throw invalidTransaction(`witness_script of ${name} does not match the output that it spends`);
  }
}

function sighashTypeOf(map: PsbtMap, name: string): number | undefined {
  const value = map.get(types.sighashType);
  if (value && value.length !== 4) throw invalidTransaction(`sighash_type of ${name} must be 4 bytes`);
  return value && littleEndian(value, 0, 4);
}

function readInput(map: PsbtMap, input: RawInput, i: number): PsbtInput {
  const name = `input ${i}`;
  refuseScriptPath(map, name);
  const sighashType = sighashTypeOf(map, name);
  const redeemScript = map.get(types.redeemScript);
  const witnessScript = map.get(types.witnessScript);
  const tapInternalKey = map.get(types.tapInternalKey);
  const tapMerkleRoot = map.get(types.tapMerkleRoot);
  const read: PsbtInput = {
    name,
    spent: spentOutput(map, input, name),
    hasNonWitnessUtxo: map.has(types.nonWitnessUtxo),
    hasWitnessUtxo: map.has(types.witnessUtxo),
    finalized: map.has(types.finalScriptSig) || map.has(types.finalWitness),
    ...(sighashType !== undefined && { sighashType }),
    ...(redeemScript && { redeemScript }),
    ...(witnessScript && { witnessScript }),
    ...(tapInternalKey && { tapInternalKey }),
    ...(tapMerkleRoot && { tapMerkleRoot }),
  };
  refuseOtherScripts(read);
  return read;
}

/**
 * Reads all inputs. Refuses these, even in inputs of other keys:
 * - a txid or script hash that does not match;
 * - an output spent twice;
 * - segwit wrapped in P2SH;
 * - a taproot script path;
 * - an input with no UTXO or with two that differ.
 */
export function readInputs({ inputs, transaction }: Psbt): PsbtInput[] {
  const outpoints = new Set(transaction.inputs.map(({ outpoint }) => toHex(outpoint)));
  if (outpoints.size !== inputs.length) throw invalidTransaction('an output is spent twice');
  return inputs.map((map, i) => readInput(map, transaction.inputs[i]!, i));
}
