import { concat, hexBytes, sameBytes, toHex } from '../../base/bytes.ts';
import { invalidTransaction } from '../shared/transaction.ts';
import { type RawTransaction, readTransaction } from './raw-transaction.ts';
import { type ByteReader, compactSize, reader, sized } from './reader.ts';

/** Values by their keys in hex (the key's type first), in the order of the PSBT. */
export type PsbtMap = ReadonlyMap<string, Uint8Array>;

/** A PSBT with all its pairs unchanged, known or not. */
export type Psbt = {
  global: PsbtMap;
  /** One map for each input and output of `transaction`. */
  inputs: readonly PsbtMap[];
  outputs: readonly PsbtMap[];
  /** The unsigned transaction, one of the global values. */
  transaction: RawTransaction;
};

const MOST_BYTES = 512 * 1024;
const MOST_INPUTS = 1_000;
const MOST_OUTPUTS = 2_500;
/** A pair may have only three bytes in the PSBT and takes far more memory. */
const MOST_PAIRS = 50_000;

const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff);

const UNSIGNED_TRANSACTION = '00';
const VERSION = 'fb';

/** `keyData`: for each known type, how many bytes may follow it in the key. `laterVersion`: types of BIP-370 only. */
type KeyTypes = { map: string; keyData: { readonly [type: string]: readonly number[] }; laterVersion: readonly string[] };

const ALONE = [0];
const PUBLIC_KEY = [33, 65];
const X_ONLY_KEY = [32];

const globalTypes: KeyTypes = {
  map: 'the global map',
  keyData: { [UNSIGNED_TRANSACTION]: ALONE, '01': [78], [VERSION]: ALONE },
  laterVersion: ['02', '03', '04', '05', '06'],
};
const inputTypes: KeyTypes = {
  map: 'input',
  keyData: {
    '00': ALONE,
    '01': ALONE,
    '02': PUBLIC_KEY,
    '03': ALONE,
    '04': ALONE,
    '05': ALONE,
    '06': PUBLIC_KEY,
    '07': ALONE,
    '08': ALONE,
    '13': ALONE,
    '14': [64],
    '16': X_ONLY_KEY,
    '17': ALONE,
    '18': ALONE,
  },
  laterVersion: ['0e', '0f', '10', '11', '12'],
};
const outputTypes: KeyTypes = {
  map: 'output',
  keyData: { '00': ALONE, '01': ALONE, '02': PUBLIC_KEY, '05': ALONE, '06': ALONE, '07': X_ONLY_KEY },
  laterVersion: ['03', '04'],
};

function readMap(from: ByteReader, types: KeyTypes, budget: { pairs: number }, name: string): PsbtMap {
  const map = new Map<string, Uint8Array>();
  for (let length = from.compactSize(); length !== 0; length = from.compactSize()) {
    if (--budget.pairs < 0) throw invalidTransaction(`a PSBT may hold at most ${MOST_PAIRS} pairs`);
    const bytes = from.take(length);
    reader(bytes, `a key of ${name}`).compactSize();
    const key = toHex(bytes);
    const type = key.slice(0, 2);
    if (types.laterVersion.includes(type)) throw invalidTransaction(`${name} holds type 0x${type}, which is of PSBT version 2`);
    if (types.keyData[type]?.includes(length - 1) === false) {
      throw invalidTransaction(`a key of type 0x${type} of ${name} has the wrong length`);
    }
    if (map.has(key)) throw invalidTransaction(`${name} holds a key of type 0x${type} twice`);
    map.set(key, from.sized());
  }
  return map;
}

function readUnsigned(global: PsbtMap): RawTransaction {
  const version = global.get(VERSION);
  if (version !== undefined && !sameBytes(version, new Uint8Array(4)))
    throw invalidTransaction('only PSBT version 0 (BIP-174) is supported');
  const bytes = global.get(UNSIGNED_TRANSACTION);
  if (!bytes) throw invalidTransaction('the PSBT holds no unsigned transaction');
  const what = 'the unsigned transaction';
  const transaction = readTransaction(bytes, what, { inputs: MOST_INPUTS, outputs: MOST_OUTPUTS });
  if (transaction.witness) throw invalidTransaction(`${what} must be serialized without witnesses`);
  if (transaction.inputs.some(({ script }) => script.length > 0)) throw invalidTransaction(`${what} must have no scriptSig`);
  if (transaction.outputs.length === 0) throw invalidTransaction(`${what} has no outputs`);
  return transaction;
}

/**
 * Reads a PSBT of version 0 (BIP-174) into its pairs. Limits: 512 KiB, 1,000 inputs, 2,500 outputs, 50,000 pairs. Keys may
 * be in any order and unknown ones are kept, but none may appear twice in its map. The unsigned transaction has neither
 * scriptSigs nor witnesses. Throws INVALID_TRANSACTION.
 */
export function readPsbt(bytes: Uint8Array): Psbt {
  if (bytes.length > MOST_BYTES) throw invalidTransaction(`a PSBT may have at most ${MOST_BYTES} bytes`);
  const from = reader(bytes, 'the PSBT');
  if (!sameBytes(bytes.subarray(0, MAGIC.length), MAGIC)) throw invalidTransaction('send a PSBT: it starts with 70736274ff');
  from.take(MAGIC.length);
  const budget = { pairs: MOST_PAIRS };
  const global = readMap(from, globalTypes, budget, globalTypes.map);
  const transaction = readUnsigned(global);
  const maps = (types: KeyTypes, of: readonly unknown[]) => of.map((_, i) => readMap(from, types, budget, `${types.map} ${i}`));
  const inputs = maps(inputTypes, transaction.inputs);
  const outputs = maps(outputTypes, transaction.outputs);
  from.end();
  return { global, inputs, outputs, transaction };
}

function writeMap(map: PsbtMap): Uint8Array[] {
  const pairs = [...map].flatMap(([key, value]) => {
    const bytes = hexBytes(key);
    return [sized(bytes), compactSize(value.length), value];
  });
  return [...pairs, Uint8Array.of(0x00)];
}

/** Serializes the PSBT, every pair in the order of its map. */
export function writePsbt({ global, inputs, outputs }: Psbt): Uint8Array {
  return concat([MAGIC, ...[global, ...inputs, ...outputs].flatMap(writeMap)]);
}
