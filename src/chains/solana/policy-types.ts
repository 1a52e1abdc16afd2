/** Solana transactions as policies see them. The values are read from the bytes that are signed. */
import type { EnvironmentPart } from '../../policy/index.ts';
import { orEmpty, type Shapes, type TextShape } from '../../policy/language/shapes.ts';
import { BOOL, DYNAMIC, INT, listOf, mapOf, STRING, struct } from '../../policy/language/types.ts';
import { BASE58, lowerHex } from '../shared/text-shapes.ts';

/** One entry of a lookup table. */
const reference = { address_table_key: STRING, index: INT, writable: BOOL };
const lookupReference = struct('AddressTableLookupReference', reference);

/** A table and its entries. A lookup of one entry is a reference too. */
const addressTableLookup = struct('AddressTableLookup', {
  ...reference,
  writable_indexes: listOf(INT),
  readonly_indexes: listOf(INT),
});

const solanaAccount = struct('SolanaAccount', { account_key: STRING, signer: BOOL, writable: BOOL });

const solanaParsedInstruction = struct(
  'SolanaParsedInstruction',
  {
    instruction_name: STRING,
    discriminator: STRING,
    named_accounts: mapOf(STRING),
    program_call_args: mapOf(DYNAMIC),
  },
  { named_account: 'named_accounts' },
);

const solanaInstruction = struct('SolanaInstruction', {
  program_key: STRING,
  accounts: listOf(solanaAccount),
  instruction_data_hex: STRING,
  address_table_lookups: listOf(addressTableLookup),
  address_table_lookup_references: listOf(lookupReference),
  parsed_instruction_data: solanaParsedInstruction,
});

const solanaTransfer = struct('SolanaTransfer', { from: STRING, to: STRING, amount: INT });

const splTransfer = struct('SplTransfer', {
  from: STRING,
  to: STRING,
  amount: INT,
  owner: STRING,
  signers: listOf(STRING),
  token_mint: STRING,
});

const solanaTransaction = struct(
  'SolanaTransaction',
  {
    account_keys: listOf(STRING),
    program_keys: listOf(STRING),
    instructions: listOf(solanaInstruction),
    transfers: listOf(solanaTransfer),
    recent_blockhash: STRING,
    spl_transfers: listOf(splTransfer),
    address_table_lookups: listOf(addressTableLookup),
    address_table_lookup_references: listOf(lookupReference),
  },
  {
    static_account_keys: 'account_keys',
    top_level_program_keys: 'program_keys',
    top_level_instructions: 'instructions',
  },
);

const solanaKey: TextShape = { is: '32 bytes in base58: 32 to 44 characters', pattern: `${BASE58}{32,44}` };
/** An instruction's accounts may come from a lookup table, whose keys the transaction does not contain. */
const solanaNamed: TextShape = {
  is: `${solanaKey.is}, or 'ADDRESS_TABLE_LOOKUP'`,
  pattern: `${solanaKey.pattern}|ADDRESS_TABLE_LOOKUP`,
};

const shapes: Shapes = {
  SolanaTransaction: { account_keys: solanaKey, program_keys: solanaNamed, recent_blockhash: solanaKey },
  SolanaInstruction: { program_key: solanaNamed, instruction_data_hex: lowerHex() },
  SolanaAccount: { account_key: solanaNamed },
  SolanaTransfer: { from: solanaNamed, to: solanaNamed },
  SplTransfer: { from: solanaNamed, to: solanaNamed, owner: solanaNamed, signers: solanaNamed, token_mint: orEmpty(solanaNamed) },
  AddressTableLookup: { address_table_key: solanaKey },
  AddressTableLookupReference: { address_table_key: solanaKey },
  SolanaParsedInstruction: { named_accounts: solanaNamed },
};

export const solanaPolicyTypes: EnvironmentPart = {
  roots: [{ keyword: 'solana.tx', part: 'condition', type: solanaTransaction }],
  shapes,
};
