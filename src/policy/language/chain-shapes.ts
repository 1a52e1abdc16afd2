/** What the texts of each chain's structs can be, row by row; tests hold what transactions show against it. */
import { chainRoots } from './chain-types.ts';
import type { Environment } from './environment.ts';
import { oneOf, orEmpty, type Shapes, type TextShape } from './shapes.ts';

const hexBytes = (count: number): TextShape => ({
  is: `0x and ${2 * count} hexadecimal digits`,
  pattern: `0x[0-9a-f]{${2 * count}}`,
});
const lowerHex = (count?: number): TextShape => ({
  is: `${count === undefined ? '' : `${2 * count} `}lower-case hexadecimal digits without 0x`,
  pattern: `(?:[0-9a-f]{2})${count === undefined ? '*' : `{${count}}`}`,
});

const account: TextShape = { ...hexBytes(20), is: 'an Ethereum address: 0x and 40 hexadecimal digits' };
const selector = orEmpty(hexBytes(4));
const calldata: TextShape = { is: 'hexadecimal digits after 0x, two for each byte', pattern: '0x(?:[0-9a-f]{2})*' };

export const ethereumShapes: Shapes = {
  EthereumTransaction: {
    from: account,
    to: orEmpty(account),
    data: calldata,
    type: oneOf('LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_3', 'TYPE_4'),
    function_signature: selector,
    blob_versioned_hashes: hexBytes(32),
  },
  AccessListEntry: { address: account, storage_keys: hexBytes(32) },
  ListedAuthorization: { address: account },
  // A payload may declare its domain as it likes; contracts know it with an address, or with 32 bytes.
  Eip712Domain: {
    verifying_contract: { is: account.is, pattern: '0x(?:[0-9a-f]{40}|[0-9a-f]{64})', judged: '\\s.*|.*\\s|0x.*' },
  },
  Eip7702Authorization: { address: account },
};

export const tempoShapes: Shapes = {
  TempoTransaction: { from: account, fee_token: orEmpty(account) },
  TempoCall: { to: orEmpty(account), input: calldata, function_signature: selector },
};

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const solanaKey: TextShape = { is: '32 bytes in base58: 32 to 44 characters', pattern: `${BASE58}{32,44}` };
/** What an instruction names may come from a lookup table, which the transaction does not show. */
const solanaNamed: TextShape = {
  is: `${solanaKey.is}, or 'ADDRESS_TABLE_LOOKUP'`,
  pattern: `${solanaKey.pattern}|ADDRESS_TABLE_LOOKUP`,
};

export const solanaShapes: Shapes = {
  SolanaTransaction: { account_keys: solanaKey, program_keys: solanaNamed, recent_blockhash: solanaKey },
  SolanaInstruction: { program_key: solanaNamed, instruction_data_hex: lowerHex() },
  SolanaAccount: { account_key: solanaNamed },
  SolanaTransfer: { from: solanaNamed, to: solanaNamed },
  SplTransfer: { from: solanaNamed, to: solanaNamed, owner: solanaNamed, signers: solanaNamed, token_mint: orEmpty(solanaNamed) },
  AddressTableLookup: { address_table_key: solanaKey },
  SolanaParsedInstruction: { named_accounts: solanaNamed },
};

const tronAccount: TextShape = { is: 'a Tron address: T and 33 characters of base58', pattern: `T${BASE58}{33}` };
const tronResource = oneOf('BANDWIDTH', 'ENERGY', 'TRON_POWER');

export const tronShapes: Shapes = {
  TronTransaction: { ref_block_bytes: lowerHex(), ref_block_hash: lowerHex(), data: lowerHex() },
  TronContract: {
    type: oneOf(
      'TransferContract',
      'TriggerSmartContract',
      'DelegateResourceContract',
      'UnDelegateResourceContract',
      'FreezeBalanceV2Contract',
      'UnfreezeBalanceV2Contract',
      'AccountPermissionUpdateContract',
    ),
    owner_address: tronAccount,
    to_address: tronAccount,
    contract_address: tronAccount,
    receiver_address: tronAccount,
    data: lowerHex(),
    resource: tronResource,
  },
  TronPermission: { type: oneOf('Owner', 'Witness', 'Active'), operations: lowerHex() },
  TronKey: { address: tronAccount },
};

export const bitcoinShapes: Shapes = {
  BitcoinTransaction: { version: { is: 'a number', pattern: '-?[0-9]+' } },
  BitcoinInput: { tx_id: lowerHex(32) },
  BitcoinOutput: {
    script_pubkey: lowerHex(),
    // What an address is, the type says.
    address: { is: "a Bitcoin address, or ''" },
    address_type: oneOf('P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR', 'OP_RETURN', 'UNKNOWN'),
  },
  BitcoinLocktime: { type: oneOf('Seconds', 'Blocks') },
};

export const sparkShapes: Shapes = {
  SparkKeyDerivation: { type: oneOf('identity', 'signing_leaf', 'deposit', 'static_deposit', 'htlc_preimage', '') },
};

export const chainShapes: Shapes = {
  ...ethereumShapes,
  ...tempoShapes,
  ...solanaShapes,
  ...tronShapes,
  ...bitcoinShapes,
  ...sparkShapes,
};

/** One signature is about one transaction or payload. */
export const chainExclusive: Environment['exclusive'] = [chainRoots.map(({ keyword }) => keyword)];
