import { base58 } from '@scure/base';
import { sameBytes } from '../../base/bytes.ts';
import { invalidTransaction, type TransactionSigner, type TransactionType } from '../shared/transaction.ts';
import { instructionViews, lookupViews, programKeys } from './instructions.ts';
import { compactU16, type Message, readMessage } from './message.ts';
import { splTransfer, systemTransfer } from './transfers.ts';

/** One packet: validators accept no longer transaction. */
const LONGEST = 1232;
const SIGNATURE = 64;

/** `slots`: offset of the first signature. `start`: offset of the message. */
type Wire = { slots: number; start: number; message: Message };

function readSlots(bytes: Uint8Array): { count: number; slots: number } {
  const first = compactU16(bytes, 0);
  if (first === undefined) throw invalidTransaction('it does not begin with the number of signatures');
  if (!first.shortest) throw invalidTransaction('the number of signatures is not in its shortest form');
  return { count: first.value, slots: first.length };
}

function readWire(bytes: Uint8Array): Wire {
  const { count, slots } = readSlots(bytes);
  const start = slots + count * SIGNATURE;
  if (start > bytes.length) throw invalidTransaction(`it is too short for ${count} signatures`);
  const message = readMessage(bytes.subarray(start));
  if (count !== message.requiredSignatures) {
    throw invalidTransaction(`it has ${count} signature slots, and its message requires ${message.requiredSignatures}`);
  }
  return { slots, start, message };
}

function isMessage(bytes: Uint8Array): boolean {
  try {
    readMessage(bytes);
    return true;
  } catch {
    return false;
  }
}

function readTransaction(bytes: Uint8Array): Wire {
  if (bytes.length > LONGEST) throw invalidTransaction(`it is longer than ${LONGEST} bytes`);
  try {
    return readWire(bytes);
  } catch (error) {
    throw isMessage(bytes)
      ? invalidTransaction('it is a message alone: send it after its signature slots, 64 zero bytes each')
      : error;
  }
}

function slotOf({ requiredSignatures, keys }: Message, { curve, publicKey }: TransactionSigner): number {
  if (curve !== 'CURVE_ED25519' || publicKey.length !== 32) throw invalidTransaction('only keys on CURVE_ED25519 sign it');
  const index = keys.slice(0, requiredSignatures).findIndex((key) => sameBytes(publicKey, key));
  if (index < 0) throw invalidTransaction('the key that is asked to sign is none of its required signers');
  return index;
}

/**
 * Solana transactions, legacy and version 0: the number of signature slots, the slots, the message.
 * The signer's slot is overwritten even if it is filled; all other bytes stay unchanged.
 */
export const solanaTransaction: TransactionType = {
  name: 'TRANSACTION_TYPE_SOLANA',
  root: 'solana.tx',
  curves: ['CURVE_ED25519'],
  schemes: ['ed25519'],
  interfaceType: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA',
  parse(bytes, signer) {
    const { slots, start, message } = readTransaction(bytes);
    const slot = slots + slotOf(message, signer) * SIGNATURE;
    const contracts = programKeys(message);
    return {
      contracts,
      view(interfaces) {
        const instructions = instructionViews(message, interfaces);
        return {
          account_keys: message.keys.map((key) => base58.encode(key)),
          program_keys: contracts,
          instructions,
          transfers: instructions.flatMap((each) => systemTransfer(each) ?? []),
          recent_blockhash: base58.encode(message.blockhash),
          spl_transfers: instructions.flatMap((each) => splTransfer(each) ?? []),
          address_table_lookups: lookupViews(message),
        };
      },
      toSign: [{ message: bytes.subarray(start) }],
      attach([signature]) {
        const signed = new Uint8Array(bytes);
        signed.set(signature!.r, slot);
        signed.set(signature!.s, slot + 32);
        return signed;
      },
    };
  },
};
