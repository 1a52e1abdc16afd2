import { base58 } from '@scure/base';
import { toHex } from '../../base/bytes.ts';
import type { ContractInterfaces } from '../shared/transaction.ts';
import { decodeInstruction, type ParsedInstruction } from './idl.ts';
import type { Instruction, Message } from './message.ts';

/** Placeholder for the key of an account from a lookup table: the transaction does not contain the key. */
const FROM_TABLE = 'ADDRESS_TABLE_LOOKUP';

export type AccountView = { account_key: string; signer: boolean; writable: boolean };
export type LookupView = { address_table_key: string; writable_indexes: bigint[]; readonly_indexes: bigint[] };
export type InstructionView = {
  program_key: string;
  accounts: AccountView[];
  instruction_data_hex: string;
  address_table_lookups: LookupView[];
  parsed_instruction_data: ParsedInstruction;
};

const keyText = (key: Uint8Array): string => base58.encode(key);
const integers = (bytes: Iterable<number>): bigint[] => Array.from(bytes, BigInt);

export const lookupViews = ({ lookups }: Message): LookupView[] =>
  lookups.map(({ key, writable, readonly }) => ({
    address_table_key: keyText(key),
    writable_indexes: integers(writable),
    readonly_indexes: integers(readonly),
  }));

type Loaded = { table: number; index: number; writable: boolean };

/** The accounts from lookup tables in their order: first the writable ones of all tables, then the others. */
function loadedAccounts({ lookups }: Message): Loaded[] {
  const list = (kind: 'writable' | 'readonly') =>
    lookups.flatMap((lookup, table) => Array.from(lookup[kind], (index) => ({ table, index, writable: kind === 'writable' })));
  return [...list('writable'), ...list('readonly')];
}

/** The message's own keys, with the rights that its header gives them. Signers come first, and in each part the writable ones. */
function ownAccounts({ keys, requiredSignatures, readonlySigned, readonlyUnsigned }: Message): AccountView[] {
  return keys.map((key, i) => {
    const signer = i < requiredSignatures;
    const writable = i < (signer ? requiredSignatures - readonlySigned : keys.length - readonlyUnsigned);
    return { account_key: keyText(key), signer, writable };
  });
}

/** The lookups that an instruction uses, with only the indexes used. All in the order of the message. */
function usedLookups(message: Message, loaded: readonly Loaded[], used: ReadonlySet<number>): LookupView[] {
  const own = loaded.filter((_, i) => used.has(message.keys.length + i));
  return message.lookups.flatMap(({ key }, table) => {
    const indexes = (writable: boolean) =>
      integers(own.filter((each) => each.table === table && each.writable === writable).map(({ index }) => index));
    const view = { address_table_key: keyText(key), writable_indexes: indexes(true), readonly_indexes: indexes(false) };
    return view.writable_indexes.length + view.readonly_indexes.length > 0 ? [view] : [];
  });
}

/** The distinct programs in the order of their first use, in base58. */
export function programKeys({ keys, instructions }: Message): string[] {
  return [...new Set(instructions.map(({ program }) => program))].map((index) => keyText(keys[index]!));
}

/** The instructions as policies see them. `interfaces`: IDLs by program. */
export function instructionViews(message: Message, interfaces: ContractInterfaces): InstructionView[] {
  const own = ownAccounts(message);
  const loaded = loadedAccounts(message);
  const accounts = [...own, ...loaded.map(({ writable }) => ({ account_key: FROM_TABLE, signer: false, writable }))];
  return message.instructions.map((instruction) => {
    const view = {
      program_key: accounts[instruction.program]!.account_key,
      accounts: Array.from(instruction.accounts, (index) => accounts[index]!),
      instruction_data_hex: toHex(instruction.data),
      address_table_lookups: usedLookups(message, loaded, new Set(instruction.accounts)),
    };
    return { ...view, parsed_instruction_data: parse(instruction, view, interfaces) };
  });
}

/** For an instruction that no interface decodes. */
const UNKNOWN: ParsedInstruction = { instruction_name: '', discriminator: '', named_accounts: {}, program_call_args: {} };

type Called = Pick<InstructionView, 'program_key' | 'accounts'>;

function parse({ data }: Instruction, called: Called, interfaces: ContractInterfaces): ParsedInstruction {
  const idl = interfaces.get(called.program_key);
  if (idl === undefined) return UNKNOWN;
  const accounts = called.accounts.map(({ account_key }) => account_key);
  return decodeInstruction(idl, { program: called.program_key, accounts, data }) ?? UNKNOWN;
}
