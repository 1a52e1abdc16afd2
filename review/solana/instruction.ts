import { base58 } from '@scure/base';
import { fromUtf8, hexBytes, littleEndian, viewOf } from '../../src/base/bytes.ts';
import type { InstructionView } from '../../src/chains/solana/instructions.ts';
import { SOL, whole } from '../amounts.ts';
import { ONLY_NAMED } from '../named.ts';
import { fieldsOf } from '../parts.ts';
import type { Argument, Call, Warning } from '../types.ts';
import { visible } from '../visible.ts';
import { type Known, type Part, PROGRAMS } from './programs.ts';

const SIZES = { u8: 1, u32: 4, u64: 8, key: 32, 'key or none': 1, text: 0 } as const;

/** Undefined if the bytes are too few, or no text. */
function partOf(data: Uint8Array, at: number, kind: Part[1]): string | undefined {
  if (kind === 'text') return fromUtf8(data.subarray(at));
  if (at + SIZES[kind] > data.length) return undefined;
  if (kind === 'key or none') {
    if (data[at] === 0) return 'none';
    return data[at] === 1 ? partOf(data, at + 1, 'key') : undefined;
  }
  if (kind === 'key') return base58.encode(data.subarray(at, at + 32));
  return kind === 'u64' ? String(viewOf(data).getBigUint64(at, true)) : String(littleEndian(data, at, SIZES[kind]));
}

function argumentsOf({ data: parts }: Known, data: Uint8Array, start: number): Argument[] | undefined {
  let at = start;
  const found: Argument[] = [];
  for (const [name, kind] of parts) {
    const value = partOf(data, at, kind);
    if (value === undefined) return undefined;
    found.push({ name, type: kind, value: visible(value) });
    at += SIZES[kind];
  }
  return found;
}

const accountsOf = ({ accounts }: InstructionView, names: readonly string[] = []): Argument[] =>
  accounts.map(({ account_key, signer, writable }, i) => ({
    name: names[i] ?? `account ${i + 1}`,
    type: `account${signer ? ', signs' : ''}${writable ? ', writable' : ''}`,
    value: account_key,
  }));

const AMBER: Readonly<Record<string, string>> = { Transfer: 'no-mint', CloseAccount: 'closed' };

const notDecoded = (text: string): Warning => ({
  code: 'not-decoded',
  level: 'red',
  text: `Not decoded, so what it moves cannot be seen here: ${text}`,
});

function knownOf(view: InstructionView, data: Uint8Array): { known: Known; program: string; start: number } | undefined {
  const program = PROGRAMS.get(view.program_key);
  if (program === undefined || data.length < program.width) return undefined;
  const known = program.instructions[program.width === 0 ? 0 : littleEndian(data, 0, program.width)];
  if (known === undefined || (known.next !== undefined && data[program.width] !== known.next)) return undefined;
  return { known, program: program.name, start: program.width };
}

/** An instruction without data of the program of token accounts creates one. */
const withDefault = (view: InstructionView, data: Uint8Array): Uint8Array =>
  data.length === 0 && PROGRAMS.get(view.program_key)?.name === 'AssociatedTokenAccount' ? Uint8Array.of(0) : data;

/** An instruction as a call of its program. */
export function instructionCall(view: InstructionView): Call {
  const { program_key: to, instruction_data_hex: hex, parsed_instruction_data: parsed } = view;
  const data = withDefault(view, hexBytes(hex));
  const base = { to, calls: [] };
  const found = knownOf(view, data);
  if (found === undefined) {
    // No interface names instructions of programs that are known here.
    if (parsed.instruction_name === '' || PROGRAMS.has(to))
      return {
        ...base,
        arguments: accountsOf(view),
        data: `0x${hex}`,
        warnings: [notDecoded(`an instruction of the program ${to}`)],
      };
    const given = [...fieldsOf(parsed.program_call_args, '')].map(({ path, value }) => ({ name: path, type: '', value }));
    return {
      ...base,
      function: visible(parsed.instruction_name),
      named: 'by the service',
      arguments: [...given, ...accountsOf(view)],
      warnings: [ONLY_NAMED],
    };
  }
  const { known, program, start } = found;
  const name = `${program} ${known.name}`;
  const given = argumentsOf(known, data, start);
  if (given === undefined)
    return {
      ...base,
      function: name,
      arguments: accountsOf(view),
      data: `0x${hex}`,
      warnings: [notDecoded('the data is too short')],
    };
  const lamports = given.find((each) => each.name === 'lamports')?.value;
  const warnings: Warning[] = [];
  if (known.red !== undefined)
    warnings.push({ code: known.name.startsWith('Approve') ? 'approval' : 'control', level: 'red', text: known.red });
  if (known.amber !== undefined) warnings.push({ code: AMBER[known.name] ?? 'durable-nonce', level: 'amber', text: known.amber });
  return {
    ...base,
    function: name,
    arguments: [...given, ...accountsOf(view, known.accounts)],
    ...(lamports !== undefined && { value: { amount: whole(BigInt(lamports), SOL.decimals), unit: SOL.unit } }),
    warnings,
  };
}
