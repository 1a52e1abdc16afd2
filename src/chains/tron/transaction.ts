import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { concat, hexBytes } from '../../base/bytes.ts';
import { ApiError } from '../../base/errors.ts';
import { sha256 } from '../../crypto/hash.ts';
import type { RawSignature } from '../../crypto/signing-types.ts';
import type { Value } from '../../policy/index.ts';
import { invalidTransaction, type TransactionType } from '../shared/transaction.ts';
import { type MessageName, readMessage } from './schema.ts';

type Message = { [field: string]: Value };

/** Far more than a call or an update of all permissions needs. */
const LONGEST = 65_536;

/** Transaction.Contract.ContractType of java-tron: those that policies can read. */
const contractTypes: ReadonlyMap<bigint, MessageName> = new Map<bigint, MessageName>([
  [1n, 'TransferContract'],
  [31n, 'TriggerSmartContract'],
  [46n, 'AccountPermissionUpdateContract'],
  [54n, 'FreezeBalanceV2Contract'],
  [55n, 'UnfreezeBalanceV2Contract'],
  [57n, 'DelegateResourceContract'],
  [58n, 'UnDelegateResourceContract'],
]);

function unsupported(type: bigint): ApiError {
  const why = `contract type ${type} is not one of ${[...contractTypes].map(([number, name]) => `${name} (${number})`).join(', ')}`;
  return new ApiError('UNSUPPORTED_TRANSACTION_TYPE', `unsupported transaction type: ${why}`, {
    violations: [{ field: 'parameters.unsignedTransaction', description: why }],
  });
}

type Permissions = { owner?: Message; witness?: Message; actives?: Message[] };

/** Permissions with the ids that nodes assign, whatever ids were sent (java-tron, AccountCapsule.updatePermissions). */
function numbered({ owner, witness, actives = [] }: Permissions): Message {
  return {
    ...(owner && { owner: { ...owner, id: 0n } }),
    ...(witness && { witness: { ...witness, id: 1n } }),
    actives: actives.map((permission, i) => ({ ...permission, id: BigInt(2 + i) })),
  };
}

/** `Contract` as `readMessage` returns it. */
type ContractMessage = { type: bigint; permission_id: bigint; parameter?: { type_url: string; value: string } };

function readContract({ type, permission_id, parameter }: ContractMessage): Message {
  const name = contractTypes.get(type);
  if (!name) throw unsupported(type);
  const url = `type.googleapis.com/protocol.${name}`;
  if (parameter?.type_url !== url) throw invalidTransaction(`the parameter of a ${name} must be of type ${url}`);
  const value = readMessage(name, hexBytes(parameter.value));
  return { type: name, permission_id, ...value, ...(name === 'AccountPermissionUpdateContract' ? numbered(value) : {}) };
}

/** Reads exactly one `raw_data`. `contract` has one message. Throws INVALID_TRANSACTION and UNSUPPORTED_TRANSACTION_TYPE. */
export function readRaw(bytes: Uint8Array): Message & { contract: Message[] } {
  if (bytes.length > LONGEST) throw invalidTransaction(`it has more than ${LONGEST} bytes`);
  const raw = readMessage('raw', bytes);
  const contracts = raw.contract as ContractMessage[];
  if (contracts.length !== 1) throw invalidTransaction(`it must have exactly one contract, not ${contracts.length}`);
  return { ...raw, contract: [readContract(contracts[0]!)] };
}

/**
 * `raw_data` of a transaction with one contract (java-tron accepts no other number), of a type that policies can read. The digest
 * is its SHA-256, which is the transaction's id. The signed transaction is protocol.Transaction with these bytes and one signature,
 * r ‖ s ‖ recovery id (nodes read 0 and 1 as 27 and 28).
 *
 * The owner need not be the key's own account: accounts give permissions to other keys. Policies see `data`, the memo, in hex, and
 * addresses in base58check. Throws UNSUPPORTED_TRANSACTION_TYPE for other contract types.
 */
export const tronTransaction: TransactionType = {
  name: 'TRANSACTION_TYPE_TRON',
  root: 'tron.tx',
  curves: ['CURVE_SECP256K1'],
  schemes: ['ecdsa'],
  parse(bytes) {
    const view = readRaw(bytes);
    return {
      contracts: [],
      view: () => view,
      toSign: [{ digest: sha256(bytes) }],
      attach([signature]) {
        const { r, s, v } = signature as RawSignature;
        const writer = new BinaryWriter();
        writer.tag(1, WireType.LengthDelimited).bytes(bytes);
        writer.tag(2, WireType.LengthDelimited).bytes(concat([r, s, Uint8Array.of(v)]));
        return writer.finish();
      },
    };
  },
};
