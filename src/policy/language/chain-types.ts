/** What policies see of each chain's transactions. A chain's row fills these structs from the bytes that are signed. */
import type { Root } from './root.ts';
import { BITCOIN_ADDRESS, BOOL, DYNAMIC, HEX, INT, listOf, mapOf, STRING, struct, UINT } from './types.ts';

export const accessListEntry = struct('AccessListEntry', { address: HEX, storage_keys: listOf(HEX) });

export const listedAuthorization = struct('ListedAuthorization', { address: HEX, chain_id: UINT, nonce: UINT });

export const ethereumTransaction = struct(
  'EthereumTransaction',
  {
    from: HEX,
    to: HEX,
    data: HEX,
    value: INT,
    gas: INT,
    gas_price: INT,
    chain_id: INT,
    nonce: INT,
    max_fee_per_gas: INT,
    max_priority_fee_per_gas: INT,
    max_fee_per_blob_gas: INT,
    type: STRING,
    function_name: STRING,
    function_signature: HEX,
    contract_call_args: mapOf(DYNAMIC),
    access_list: listOf(accessListEntry),
    authorization_list: listOf(listedAuthorization),
    blob_versioned_hashes: listOf(HEX),
  },
  { gasPrice: 'gas_price' },
);

export const eip712Domain = struct('Eip712Domain', {
  name: STRING,
  version: STRING,
  chain_id: UINT,
  verifying_contract: HEX,
});

export const eip712TypedData = struct('Eip712TypedData', {
  primary_type: STRING,
  domain: eip712Domain,
  message: mapOf(DYNAMIC),
});

export const eip7702Authorization = struct('Eip7702Authorization', { address: HEX, chain_id: UINT, nonce: UINT });

export const addressTableLookup = struct('AddressTableLookup', {
  address_table_key: STRING,
  writable_indexes: listOf(INT),
  readonly_indexes: listOf(INT),
});

export const solanaAccount = struct('SolanaAccount', { account_key: STRING, signer: BOOL, writable: BOOL });

export const solanaParsedInstruction = struct(
  'SolanaParsedInstruction',
  {
    instruction_name: STRING,
    discriminator: STRING,
    named_accounts: mapOf(STRING),
    program_call_args: mapOf(DYNAMIC),
  },
  { named_account: 'named_accounts' },
);

export const solanaInstruction = struct('SolanaInstruction', {
  program_key: STRING,
  accounts: listOf(solanaAccount),
  instruction_data_hex: STRING,
  address_table_lookups: listOf(addressTableLookup),
  parsed_instruction_data: solanaParsedInstruction,
});

export const solanaTransfer = struct('SolanaTransfer', { from: STRING, to: STRING, amount: INT });

export const splTransfer = struct('SplTransfer', {
  from: STRING,
  to: STRING,
  amount: INT,
  owner: STRING,
  signers: listOf(STRING),
  token_mint: STRING,
});

export const solanaTransaction = struct('SolanaTransaction', {
  account_keys: listOf(STRING),
  program_keys: listOf(STRING),
  instructions: listOf(solanaInstruction),
  transfers: listOf(solanaTransfer),
  recent_blockhash: STRING,
  spl_transfers: listOf(splTransfer),
  address_table_lookups: listOf(addressTableLookup),
});

export const tronKey = struct('TronKey', { address: STRING, weight: INT });

export const tronPermission = struct('TronPermission', {
  type: STRING,
  id: INT,
  permission_name: STRING,
  threshold: INT,
  parent_id: INT,
  operations: STRING,
  keys: listOf(tronKey),
});

export const tronContract = struct('TronContract', {
  type: STRING,
  permission_id: INT,
  owner_address: STRING,
  to_address: STRING,
  amount: INT,
  contract_address: STRING,
  call_value: INT,
  data: STRING,
  call_token_value: INT,
  token_id: INT,
  resource: STRING,
  balance: INT,
  receiver_address: STRING,
  lock: BOOL,
  lock_period: INT,
  frozen_balance: INT,
  unfreeze_balance: INT,
  owner: tronPermission,
  witness: tronPermission,
  actives: listOf(tronPermission),
});

export const tronTransaction = struct('TronTransaction', {
  ref_block_bytes: STRING,
  ref_block_hash: STRING,
  expiration: INT,
  timestamp: INT,
  data: STRING,
  fee_limit: INT,
  contract: listOf(tronContract),
});

export const bitcoinInput = struct('BitcoinInput', { tx_id: STRING, vout: INT, sequence: INT, amount_proven: BOOL });

export const bitcoinOutput = struct('BitcoinOutput', {
  value: INT,
  script_pubkey: STRING,
  address: BITCOIN_ADDRESS,
  address_type: STRING,
});

export const bitcoinLocktime = struct('BitcoinLocktime', { amount: INT, type: STRING });

export const bitcoinTransaction = struct('BitcoinTransaction', {
  version: STRING,
  inputs: listOf(bitcoinInput),
  outputs: listOf(bitcoinOutput),
  locktime: bitcoinLocktime,
  fee: INT,
});

export const tempoCall = struct('TempoCall', { to: HEX, value: INT, input: HEX, function_signature: HEX });

export const tempoTransaction = struct('TempoTransaction', {
  chain_id: INT,
  from: HEX,
  nonce: INT,
  gas_limit: INT,
  max_fee_per_gas: INT,
  max_priority_fee_per_gas: INT,
  fee_token: HEX,
  valid_before: INT,
  valid_after: INT,
  calls: listOf(tempoCall),
});

export const sparkSigningLeaf = struct('SparkSigningLeaf', { leaf_id: STRING });

export const sparkStaticDeposit = struct('SparkStaticDeposit', { index: INT });

export const sparkKeyDerivation = struct('SparkKeyDerivation', {
  type: STRING,
  signing_leaf: sparkSigningLeaf,
  static_deposit: sparkStaticDeposit,
});

export const sparkFrostCommitment = struct('SparkFrostCommitment', { id: STRING, hiding: STRING, binding: STRING });

export const sparkSignatureRequest = struct('SparkSignatureRequest', {
  derivation: sparkKeyDerivation,
  message: STRING,
  verifying_key: STRING,
  operator_commitments: listOf(sparkFrostCommitment),
  adaptor_public_key: STRING,
});

export const sparkTransferLeaf = struct('SparkTransferLeaf', {
  leaf_id: STRING,
  old_leaf_derivation: sparkKeyDerivation,
  new_leaf_derivation: sparkKeyDerivation,
  refund_signature: STRING,
  direct_refund_signature: STRING,
  direct_from_cpfp_refund_signature: STRING,
});

export const sparkOperatorRecipient = struct('SparkOperatorRecipient', {
  operator_id: STRING,
  encryption_public_key: STRING,
});

export const sparkTransferPackage = struct('SparkTransferPackage', {
  transfer_id: STRING,
  leaves: listOf(sparkTransferLeaf),
  threshold: INT,
  operator_recipients: listOf(sparkOperatorRecipient),
  receiver_public_key: STRING,
});

export const sparkClaimLeaf = struct('SparkClaimLeaf', { leaf_id: STRING, ciphertext: STRING, sender_signature: STRING });

export const sparkClaimPackage = struct('SparkClaimPackage', {
  leaves: listOf(sparkClaimLeaf),
  threshold: INT,
  operator_recipients: listOf(sparkOperatorRecipient),
  transfer_id: STRING,
  sender_identity_public_key: STRING,
});

export const sparkLightningReceivePackage = struct('SparkLightningReceivePackage', {
  threshold: INT,
  operator_recipients: listOf(sparkOperatorRecipient),
});

/** The roots of all chains. */
export const chainRoots: readonly Root[] = [
  { keyword: 'eth.tx', part: 'condition', type: ethereumTransaction },
  { keyword: 'eth.eip_712', part: 'condition', type: eip712TypedData },
  { keyword: 'eth.eip_7702_authorization', part: 'condition', type: eip7702Authorization },
  { keyword: 'solana.tx', part: 'condition', type: solanaTransaction },
  { keyword: 'tron.tx', part: 'condition', type: tronTransaction },
  { keyword: 'bitcoin.tx', part: 'condition', type: bitcoinTransaction },
  { keyword: 'tempo.tx', part: 'condition', type: tempoTransaction },
];
