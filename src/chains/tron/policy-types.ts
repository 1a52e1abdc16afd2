/** Tron transactions as policies see them. The values are read from the bytes that are signed. */
import type { EnvironmentPart } from '../../policy/index.ts';
import { oneOf, type Shapes, type TextShape } from '../../policy/language/shapes.ts';
import { BOOL, INT, listOf, STRING, struct } from '../../policy/language/types.ts';
import { BASE58, lowerHex } from '../shared/text-shapes.ts';

const tronKey = struct('TronKey', { address: STRING, weight: INT });

const tronPermission = struct('TronPermission', {
  type: STRING,
  id: INT,
  permission_name: STRING,
  threshold: INT,
  parent_id: INT,
  operations: STRING,
  keys: listOf(tronKey),
});

const tronContract = struct('TronContract', {
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

const tronTransaction = struct('TronTransaction', {
  ref_block_bytes: STRING,
  ref_block_hash: STRING,
  expiration: INT,
  timestamp: INT,
  data: STRING,
  fee_limit: INT,
  contract: listOf(tronContract),
});

const tronAccount: TextShape = { is: 'a Tron address: T and 33 characters of base58', pattern: `T${BASE58}{33}` };
const tronResource = oneOf('BANDWIDTH', 'ENERGY', 'TRON_POWER');

const shapes: Shapes = {
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

export const tronPolicyTypes: EnvironmentPart = {
  roots: [{ keyword: 'tron.tx', part: 'condition', type: tronTransaction }],
  shapes,
};
