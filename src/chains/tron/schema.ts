import { create, createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ReflectList, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { sameBytes, toHex } from '../../base/bytes.ts';
import type { Value } from '../../policy/index.ts';
import { toBase58check } from '../shared/base58check.ts';
import { invalidTransaction } from '../shared/transaction.ts';

/**
 * A field's form on the wire and in policies. Bytes are an `address` (0x41 and 20 more; shown in base58check) or `hex` (shown in
 * lower case without 0x). A list of names is an enumeration from 0. Numbers are shown as bigints.
 */
type Kind =
  | 'address'
  | 'hex'
  | 'text'
  | 'int64'
  | 'int32'
  | 'bool'
  | { names: readonly string[] }
  | { one: string }
  | { many: string };

type Field = readonly [number: number, name: string, kind: Kind];

/** Nodes accept one contract, eight active permissions and five keys of each. */
const LONGEST_LIST = 64;

const owner: Field = [1, 'owner_address', 'address'];
const resource = { names: ['BANDWIDTH', 'ENERGY', 'TRON_POWER'] };

/**
 * Messages of java-tron (protocol/src/main/protos/core), under their names. Fields that nodes ignore and no policy sees are left
 * out, so a transaction that sets them is refused. They are ref_block_num, auths and scripts of `raw`, provider and ContractName of
 * `Contract`.
 */
const messages = {
  raw: [
    [1, 'ref_block_bytes', 'hex'],
    [4, 'ref_block_hash', 'hex'],
    [8, 'expiration', 'int64'],
    [10, 'data', 'hex'],
    [11, 'contract', { many: 'Contract' }],
    [14, 'timestamp', 'int64'],
    [18, 'fee_limit', 'int64'],
  ],
  Contract: [
    [1, 'type', 'int32'],
    [2, 'parameter', { one: 'Any' }],
    [5, 'permission_id', 'int32'],
  ],
  Any: [
    [1, 'type_url', 'text'],
    [2, 'value', 'hex'],
  ],
  TransferContract: [owner, [2, 'to_address', 'address'], [3, 'amount', 'int64']],
  TriggerSmartContract: [
    owner,
    [2, 'contract_address', 'address'],
    [3, 'call_value', 'int64'],
    [4, 'data', 'hex'],
    [5, 'call_token_value', 'int64'],
    [6, 'token_id', 'int64'],
  ],
  AccountPermissionUpdateContract: [
    owner,
    [2, 'owner', { one: 'Permission' }],
    [3, 'witness', { one: 'Permission' }],
    [4, 'actives', { many: 'Permission' }],
  ],
  Permission: [
    [1, 'type', { names: ['Owner', 'Witness', 'Active'] }],
    [2, 'id', 'int32'],
    [3, 'permission_name', 'text'],
    [4, 'threshold', 'int64'],
    [5, 'parent_id', 'int32'],
    [6, 'operations', 'hex'],
    [7, 'keys', { many: 'Key' }],
  ],
  Key: [
    [1, 'address', 'address'],
    [2, 'weight', 'int64'],
  ],
  FreezeBalanceV2Contract: [owner, [2, 'frozen_balance', 'int64'], [3, 'resource', resource]],
  UnfreezeBalanceV2Contract: [owner, [2, 'unfreeze_balance', 'int64'], [3, 'resource', resource]],
  DelegateResourceContract: [
    owner,
    [2, 'resource', resource],
    [3, 'balance', 'int64'],
    [4, 'receiver_address', 'address'],
    [5, 'lock', 'bool'],
    [6, 'lock_period', 'int64'],
  ],
  UnDelegateResourceContract: [owner, [2, 'resource', resource], [3, 'balance', 'int64'], [4, 'receiver_address', 'address']],
} as const satisfies Record<string, readonly Field[]>;

export type MessageName = keyof typeof messages;

const { BYTES, STRING, INT64, INT32, BOOL, MESSAGE } = FieldDescriptorProto_Type;
const scalars = { address: BYTES, hex: BYTES, text: STRING, int64: INT64, int32: INT32, bool: BOOL };

function descriptorOf([number, name, kind]: Field) {
  const scalar = { name, number, label: FieldDescriptorProto_Label.OPTIONAL };
  if (typeof kind === 'string') return create(FieldDescriptorProtoSchema, { ...scalar, type: scalars[kind] });
  // On the wire an enumeration is an int32.
  if ('names' in kind) return create(FieldDescriptorProtoSchema, { ...scalar, type: INT32 });
  const [typeName, label] = 'one' in kind ? [kind.one, scalar.label] : [kind.many, FieldDescriptorProto_Label.REPEATED];
  return create(FieldDescriptorProtoSchema, { name, number, label, type: MESSAGE, typeName: `.protocol.${typeName}` });
}

const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: 'tron.proto',
    package: 'protocol',
    syntax: 'proto3',
    messageType: Object.entries(messages).map(([name, fields]) => ({ name, field: fields.map(descriptorOf) })),
  }),
  () => undefined,
);

function seen(kind: Exclude<Kind, { one: string } | { many: string }>, name: string, value: unknown): Value {
  switch (kind) {
    case 'int64':
    case 'int32':
      return BigInt(value as bigint | number);
    case 'text':
    case 'bool':
      return value as string | boolean;
    case 'hex':
      return toHex(value as Uint8Array);
    case 'address': {
      const bytes = value as Uint8Array;
      if (bytes.length !== 21 || bytes[0] !== 0x41)
        throw invalidTransaction(`${name} must have 21 bytes, the first of them 0x41`);
      return toBase58check(0x41, bytes.subarray(1));
    }
    default: {
      const text = kind.names[value as number];
      if (text === undefined) throw invalidTransaction(`${name} must be one of ${kind.names.join(', ')}`);
      return text;
    }
  }
}

type Seen = { [field: string]: Value };

function readList(name: string, list: ReflectList): Seen[] {
  if (list.size > LONGEST_LIST) throw invalidTransaction(`${name} has more than ${LONGEST_LIST} entries`);
  return Array.from(list, (item) => read(item as ReflectMessage));
}

function read(message: ReflectMessage): Seen {
  const { desc } = message;
  const unknown = message.getUnknown()?.[0];
  if (unknown) throw invalidTransaction(`${desc.name} has a field ${unknown.no}, which is not supported`);
  const fields: Seen = {};
  for (const [number, name, kind] of messages[desc.name as MessageName] as readonly Field[]) {
    const field = message.findNumber(number)!;
    if (typeof kind === 'string' || 'names' in kind) fields[name] = seen(kind, name, message.get(field));
    else if ('many' in kind) fields[name] = readList(name, message.get(field) as ReflectList);
    else if (message.isSet(field)) fields[name] = read(message.get(field) as ReflectMessage);
  }
  return fields;
}

/**
 * Reads a message in its one canonical encoding. Each field occurs once, in order, in its shortest form, and is left out if it has
 * its default. Decoders accept other encodings too, and do not agree on all of them. The result has all fields by name; an unset
 * message is absent. Throws INVALID_TRANSACTION.
 */
export function readMessage(name: MessageName, bytes: Uint8Array): Seen {
  const schema = registry.getMessage(`protocol.${name}`)!;
  let message: ReflectMessage;
  try {
    message = reflect(schema, fromBinary(schema, bytes));
  } catch {
    throw invalidTransaction(`${name} is not a protobuf message`);
  }
  const fields = read(message);
  if (!sameBytes(toBinary(schema, message.message), bytes)) throw invalidTransaction(`${name} is not canonical protobuf`);
  return fields;
}
