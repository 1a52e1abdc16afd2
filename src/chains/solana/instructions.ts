import { base58 } from '@scure/base';
import { toHex } from '../../base/bytes.ts';
import type { ContractInterfaces } from '../shared/transaction.ts';
import { decodeInstruction, type ParsedInstruction } from './idl.ts';
import type { Instruction, Message } from './message.ts';

/** Placeholder for the key of an account from a lookup table: the transaction does not contain the key. */
export const FROM_TABLE = 'ADDRESS_TABLE_LOOKUP';

export type AccountView = { account_key: string; signer: boolean; writable: boolean };
export type ReferenceView = { address_table_key: string; index: bigint; writable: boolean };
/** One lookup of one entry is also a reference to it. */
export type LookupView = { address_table_key: string; writable_indexes: bigint[]; readonly_indexes: bigint[] } & Partial<
  Omit<ReferenceView, 'address_table_key'>
>;
export type InstructionView = {
  program_key: string;
  accounts: AccountView[];
  instruction_data_hex: string;
  address_table_lookups: LookupView[];
  address_table_lookup_references: ReferenceView[];
  parsed_instruction_data: ParsedInstruction;
};

const keyText = (key: Uint8Array): string => base58.encode(key);

/** An entry of the lookup table at this place in the message. */
type Loaded = { table: number; reference: ReferenceView };

/** The accounts from lookup tables in their order: first the writable ones of all tables, then the others. */
function loadedAccounts({ lookups }: Message): Loaded[] {
  const keys = lookups.map(({ key }) => keyText(key));
  const list = (kind: 'writable' | 'readonly') =>
    lookups.flatMap((lookup, table) =>
      Array.from(lookup[kind], (index) => ({
        table,
        reference: { address_table_key: keys[table]!, index: BigInt(index), writable: kind === 'writable' },
      })),
    );
  return [...list('writable'), ...list('readonly')];
}

/** One lookup for each table that these entries are of, in the order of the message. */
function lookupsOf(loaded: readonly Loaded[]): LookupView[] {
  const tables = Map.groupBy(loaded, ({ table }) => table);
  return [...tables]
    .sort(([a], [b]) => a - b)
    .map(([, entries]) => {
      const references = entries.map(({ reference }) => reference);
      const indexes = (writable: boolean) => references.flatMap((each) => (each.writable === writable ? [each.index] : []));
      const [only, ...others] = references as [ReferenceView, ...ReferenceView[]];
      const lists = { writable_indexes: indexes(true), readonly_indexes: indexes(false) };
      return others.length === 0 ? { ...only, ...lists } : { address_table_key: only.address_table_key, ...lists };
    });
}

/** What the transaction loads from lookup tables. */
export function lookupViews(message: Message): { lookups: LookupView[]; references: ReferenceView[] } {
  const loaded = loadedAccounts(message);
  return { lookups: lookupsOf(loaded), references: loaded.map(({ reference }) => reference) };
}

/** The message's own keys, with the rights that its header gives them. Signers come first, and in each part the writable ones. */
function ownAccounts({ keys, requiredSignatures, readonlySigned, readonlyUnsigned }: Message): AccountView[] {
  return keys.map((key, i) => {
    const signer = i < requiredSignatures;
    const writable = i < (signer ? requiredSignatures - readonlySigned : keys.length - readonlyUnsigned);
    return { account_key: keyText(key), signer, writable };
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
  const accounts = [
    ...own,
    ...loaded.map(({ reference: { writable } }) => ({ account_key: FROM_TABLE, signer: false, writable })),
  ];
  return message.instructions.map((instruction) => {
    const named = new Set(instruction.accounts);
    const used = loaded.filter((_, i) => named.has(own.length + i));
    const view = {
      program_key: accounts[instruction.program]!.account_key,
      accounts: Array.from(instruction.accounts, (index) => accounts[index]!),
      instruction_data_hex: toHex(instruction.data),
      address_table_lookups: lookupsOf(used),
      address_table_lookup_references: used.map(({ reference }) => reference),
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
