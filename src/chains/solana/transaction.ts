import { base58 } from '@scure/base';
import { sameBytes } from '../../base/bytes.ts';
import {
  type ContractInterfaces,
  invalidTransaction,
  type TransactionSigner,
  type TransactionType,
} from '../shared/transaction.ts';
import { instructionViews, lookupViews, programKeys } from './instructions.ts';
import type { Message } from './message.ts';
import { splTransfer, systemTransfer } from './transfers.ts';
import { readTransaction, SIGNATURE } from './wire.ts';

function slotOf({ requiredSignatures, keys }: Message, { curve, publicKey }: TransactionSigner): number {
  if (curve !== 'CURVE_ED25519' || publicKey.length !== 32) throw invalidTransaction('only keys on CURVE_ED25519 sign it');
  const index = keys.slice(0, requiredSignatures).findIndex((key) => sameBytes(publicKey, key));
  if (index < 0) throw invalidTransaction('the signing key is not one of its required signers');
  return index;
}

/** A message as policies see it. */
export function messageView(message: Message, interfaces: ContractInterfaces) {
  const instructions = instructionViews(message, interfaces);
  const { lookups, references } = lookupViews(message);
  return {
    account_keys: message.keys.map((key) => base58.encode(key)),
    program_keys: programKeys(message),
    instructions,
    transfers: instructions.flatMap((each) => systemTransfer(each) ?? []),
    recent_blockhash: base58.encode(message.blockhash),
    spl_transfers: instructions.flatMap((each) => splTransfer(each) ?? []),
    address_table_lookups: lookups,
    address_table_lookup_references: references,
  };
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
    return {
      contracts: programKeys(message),
      view: (interfaces) => messageView(message, interfaces),
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
