/** Requests as activities make them, with texts of their shapes and roots that occur together; and expressions about them. */

import type { ActivityRow, Environment, TextShape } from '../../src/policy/index.ts';
import { parse } from '../../src/policy/index.ts';
import type { Expr } from '../../src/policy/language/ast.ts';
import type { StructType, Type } from '../../src/policy/language/types.ts';
import { makeExpression, makeValue, pick, type Random } from './generate.ts';

const BASE58 = 'AbCdEfGhJkLmNpQrStUvWxYz23456789';
const hex = (random: Random, bytes: number): string => pick(random, ['11', 'aB', 'Cd']).repeat(bytes);

/** Few of each, so that comparisons hit. */
function textOf(random: Random, shape: TextShape): string {
  if (shape.values !== undefined) return pick(random, shape.values);
  const tries = [
    ...['', '2', 'ADDRESS_TABLE_LOOKUP', 'ab', `0x${hex(random, 4)}`, `0x${hex(random, 20)}`, `0x${hex(random, 32)}`],
    ...[hex(random, 32).toLowerCase(), `T${pick(random, [...'ab']).repeat(33)}`, BASE58, BASE58.repeat(2).slice(0, 44), '0x'],
    '0198c6f0-0000-7000-8000-0000000000ab',
  ];
  const { pattern } = shape;
  const addresses = ['', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'];
  if (pattern === undefined) return pick(random, addresses);
  // Where case is ignored, a pattern describes the lower case; otherwise it describes the text itself.
  const fitting = tries.filter((text) => new RegExp(`^(?:${pattern})$`).test(/^0x/.test(text) ? text.toLowerCase() : text));
  return pick(random, fitting);
}

function fitting(random: Random, { shapes }: Environment, type: Type, shape?: TextShape): unknown {
  const deeper = (of: Type, own = shape) => fitting(random, { shapes } as Environment, of, own);
  if (type.kind === 'string' && shape !== undefined) return textOf(random, shape);
  if (type.kind === 'list') return Array.from({ length: random(3) }, () => deeper(type.of));
  if (type.kind === 'map' && shape !== undefined) return { a: deeper(type.of), to: deeper(type.of) };
  if (type.kind !== 'struct') return makeValue(random, type);
  return fieldsOf(type, (name, of) => deeper(of, shapes[type.name]?.[name]));
}

function fieldsOf(type: StructType, make: (name: string, of: Type) => unknown): Record<string, unknown> {
  if (type.open !== undefined) return { small: make('small', type.open), per_day: make('per_day', type.open) };
  return Object.fromEntries(Object.entries(type.fields).map(([name, of]) => [name, make(name, of)]));
}

export type Conforming = { readonly row: ActivityRow; readonly roots: Record<string, unknown> };

export function makeConforming(random: Random, environment: Environment): Conforming {
  const signing = environment.activities.filter(({ roots }) => roots.length > 0);
  const row = pick(random, random(3) ? signing : environment.activities);
  const chosen: string[] = [];
  for (const root of [...row.roots].sort(() => random(3) - 1)) {
    const excluded = environment.exclusive.some((list) => list.includes(root) && list.some((other) => chosen.includes(other)));
    if (!excluded && random(8) > 0) chosen.push(root);
  }
  const roots = Object.fromEntries(chosen.map((root) => [root, fitting(random, environment, environment.roots.get(root)!.type)]));
  const type = environment.roots.get('activity')!.type as StructType;
  const params = type.fields.params as StructType;
  const own = params.tag!.fieldsOf[row.type] ?? [];
  const shown = fieldsOf(params, (name, of) => fitting(random, environment, of, environment.shapes.Parameters?.[name]));
  const { kind, resource, action } = row;
  const given = Object.fromEntries(Object.entries(shown).filter(([name]) => own.includes(name)));
  return { row, roots: { ...roots, activity: { type: row.type, kind, resource, action, params: given } } };
}

const A = `0x${'11'.repeat(20)}`;
/** Clauses that are sometimes true, and clauses that never are. */
const atoms = [
  ...[
    "activity.action == 'SIGN'",
    "activity.action == 'EXPORT'",
    "activity.action in ['SIGN', 'SING']",
    "activity.action != 'SING'",
  ],
  ...["activity.action != 'SIGN'", "activity.resource == 'PRIVATE_KEY'", "activity.resource == 'WALLET'", "activity.kind != ''"],
  ...[
    "'SIGN_TRANSACTION' == activity.kind",
    "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']",
    "activity.action == 'SING'",
  ],
  ...["activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'", "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION'"],
  ...["activity.type == 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION'", "activity.type == 'ACTIVITY_TYPE_DELETE_USERS'"],
  ...["activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'", "activity.params.type == 'TRANSACTION_TYPE_SOLANA'"],
  ...[
    'activity.params.user_ids.count() > 0',
    "activity.params.session_profile_id == 'x'",
    "activity.params.encoding == 'EIP712'",
  ],
  ...[
    `eth.tx.to == '${A}'`,
    `eth.tx.to == '${A.toUpperCase()}'`,
    "eth.tx.to == ''",
    `eth.tx.to == ' ${A}'`,
    `eth.tx.to != '${A}'`,
  ],
  ...["eth.tx.type == 'TYPE_2'", "eth.tx.type != 'TYPE_9'", 'eth.tx.value > 3', "eth.tx.value == 'much'", 'eth.tx.value == 5'],
  ...[
    "eth.tx.data[0..4] == '0x11'",
    "eth.tx.data[0..4] == '11'",
    "eth.tx.value == '05'",
    "eth.tx.blob_versioned_hashes.contains('0x1')",
  ],
  ...[
    "solana.tx.transfers.any(t, t.to == 'ADDRESS_TABLE_LOOKUP')",
    "solana.tx.transfers.all(t, t.to == 'x')",
    'solana.tx.transfers.count() < 2',
  ],
  ...[`'${BASE58}' in solana.tx.account_keys`, "solana.tx.instructions.any(i, i.instruction_data_hex == 'AB')"],
  ...[
    "tron.tx.contract.any(c, c.type == 'TransferContract' && c.resource == 'ENERGY')",
    "tron.tx.contract.any(c, c.type == 'Transfer')",
  ],
  ...["tron.tx.contract.any(c, c.type == 'TransferContract' && c.type == 'TriggerSmartContract')"],
  ...[
    "bitcoin.tx.outputs.all(o, o.address == '')",
    "bitcoin.tx.outputs.any(o, o.address == 'bc1x')",
    "tempo.tx.calls.any(c, c.to == '')",
  ],
  ...["bitcoin.tx.outputs.any(o, o.address_type == 'P2TR' || o.address_type == 'P2T')", "eth.eip_712.primary_type == 'a'"],
  ...[
    "wallet.id == '0198c6f0-0000-7000-8000-0000000000ab'",
    "wallet.id == 'hot'",
    "private_key.id != 'x'",
    'wallet.imported',
    'true',
    'false',
  ],
  ...[
    "activity.kind == CaseInsensitiveString('sign_transaction')",
    "CaseInsensitiveString(activity.action) in ['sign', 'sing']",
    "CaseInsensitiveString('sing') == activity.action",
    "activity.params.encoding != CaseInsensitiveString('payload_encoding_eip712')",
    "wallet_account.address == CaseInsensitiveString('0XAB')",
    `solana.tx.account_keys.contains(CaseInsensitiveString('${BASE58.toUpperCase()}'))`,
  ],
  ...["wallets.any(w, w.label == 'a')", "solana.tx.account_keys.any(k, eth.tx.to == '')", "wallet_account.address == ' x'"],
];

const span = { start: 0, end: 0 };

export function makeCondition(random: Random, environment: Environment, depth = 3): Expr {
  if (depth === 0 || random(4) === 0) {
    if (random(8) === 0) return makeExpression(random, environment, 'condition');
    const parsed = parse(pick(random, atoms));
    if (!parsed.ok) throw new Error(parsed.problem.message);
    return parsed.expr;
  }
  const next = () => makeCondition(random, environment, depth - 1);
  if (random(6) === 0) return { kind: 'not', operand: next(), span };
  return { kind: random(3) ? 'and' : 'or', operands: Array.from({ length: 2 + random(2) }, next), span };
}
