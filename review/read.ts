import { fromHex } from '../src/base/bytes.ts';
import { readAdministration } from './administration/index.ts';
import { readBitcoin } from './bitcoin.ts';
import { readSend, readSigned, readUndelegation } from './evm/sends.ts';
import { readEthereum } from './evm/transaction.ts';
import { type Given, type Read, textOf } from './parts.ts';
import { readPayloads } from './payloads.ts';
import { readSolana, readSolanaSend } from './solana/transaction.ts';
import { readTempo } from './tempo.ts';
import { readTron } from './tron.ts';

type ReadTransaction = (bytes: Uint8Array, signWith: string, given: Given) => Read;

/** By transaction type, one row each. */
export const TRANSACTIONS: ReadonlyMap<string, ReadTransaction> = new Map<string, ReadTransaction>([
  ['TRANSACTION_TYPE_ETHEREUM', readEthereum],
  ['TRANSACTION_TYPE_SOLANA', (bytes, signWith, given) => readSolana(bytes, [signWith], given)],
  ['TRANSACTION_TYPE_BITCOIN', readBitcoin],
  ['TRANSACTION_TYPE_TRON', readTron],
  ['TRANSACTION_TYPE_TEMPO', readTempo],
]);

function readTransaction(given: Given): Read {
  const { parameters } = given;
  const type = textOf(parameters, 'type');
  const read = TRANSACTIONS.get(type);
  if (read === undefined) throw new Error(`transactions of the type ${type} are not known here`);
  const bytes = fromHex(textOf(parameters, 'unsignedTransaction').replace(/^0x/, ''));
  if (bytes === undefined) throw new Error('the transaction is not hex');
  return read(bytes, textOf(parameters, 'signWith') || textOf(parameters, 'privateKeyId'), given);
}

/** By kind. All others sign nothing of a chain. */
const READERS: ReadonlyMap<string, (given: Given) => Read> = new Map([
  ['SIGN_TRANSACTION', readTransaction],
  ['SIGN_RAW_PAYLOAD', readPayloads],
  ['SIGN_RAW_PAYLOADS', readPayloads],
  ['ETH_SEND_TRANSACTION', readSend],
  ['ETH_SEND_RAW_TRANSACTION', readSigned],
  ['ETH_UNDELEGATE_7702', readUndelegation],
  ['ETH_UNDELEGATE7702', readUndelegation],
  ['SOL_SEND_TRANSACTION', readSolanaSend],
]);

const formOf = (kind: string): Read['form'] =>
  kind.startsWith('SIGN_RAW') ? 'typed-data' : kind.startsWith('SOL') ? 'solana' : 'raw';

/** What an activity says. Chains' readers throw at what they cannot read: then nothing but the fields is shown, in red. */
export function read(given: Given): Read {
  const reader = READERS.get(given.kind);
  if (reader === undefined) return readAdministration(given);
  try {
    return reader(given);
  } catch (error) {
    const text = `Not decoded: ${(error as Error).message}`;
    return {
      title: 'Sign something that cannot be read',
      form: formOf(given.kind),
      facts: [],
      warnings: [{ code: 'not-decoded', level: 'red', text }],
    };
  }
}
