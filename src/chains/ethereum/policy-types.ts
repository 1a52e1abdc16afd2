/** Ethereum transactions, typed data and authorizations as policies see them. The values are read from the bytes that are signed. */
import type { EnvironmentPart } from '../../policy/index.ts';
import { oneOf, orEmpty, type Shapes } from '../../policy/language/shapes.ts';
import { DYNAMIC, HEX, INT, listOf, mapOf, STRING, struct, UINT } from '../../policy/language/types.ts';
import { account, calldata, hexOf, selector } from '../shared/text-shapes.ts';

const accessListEntry = struct('AccessListEntry', { address: HEX, storage_keys: listOf(HEX) });

const listedAuthorization = struct('ListedAuthorization', { address: HEX, chain_id: UINT, nonce: UINT });

const ethereumTransaction = struct(
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

/** All calls of a batch together. */
const ethereumTransactions = struct('EthereumTransactions', { total_value: INT });

const eip712Domain = struct('Eip712Domain', {
  name: STRING,
  version: STRING,
  chain_id: UINT,
  verifying_contract: HEX,
});

const eip712TypedData = struct('Eip712TypedData', {
  primary_type: STRING,
  domain: eip712Domain,
  message: mapOf(DYNAMIC),
});

const eip7702Authorization = struct('Eip7702Authorization', { address: HEX, chain_id: UINT, nonce: UINT });

const shapes: Shapes = {
  EthereumTransaction: {
    from: account,
    to: orEmpty(account),
    data: calldata,
    type: oneOf('LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_3', 'TYPE_4'),
    function_signature: selector,
    blob_versioned_hashes: hexOf(32),
  },
  AccessListEntry: { address: account, storage_keys: hexOf(32) },
  ListedAuthorization: { address: account },
  // A payload may declare any type for the contract; contracts use an address or 32 bytes.
  Eip712Domain: {
    verifying_contract: { is: account.is, pattern: '0x(?:[0-9a-f]{40}|[0-9a-f]{64})', judged: '\\s.*|.*\\s|0x.*' },
  },
  Eip7702Authorization: { address: account },
};

export const ethereumPolicyTypes: EnvironmentPart = {
  roots: [
    { keyword: 'eth.tx', part: 'condition', type: ethereumTransaction, indexed: ['to'] },
    {
      keyword: 'eth.txs',
      part: 'condition',
      type: ethereumTransactions,
      totals: { of: 'eth.tx', paths: { total_value: 'eth.tx.value' } },
    },
    { keyword: 'eth.eip_712', part: 'condition', type: eip712TypedData },
    { keyword: 'eth.eip_7702_authorization', part: 'condition', type: eip7702Authorization },
  ],
  shapes,
};
