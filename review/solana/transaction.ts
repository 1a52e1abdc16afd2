import { base58 } from '@scure/base';
import { fromBase64Url, fromHex, plainBase64Url } from '../../src/base/bytes.ts';
import { greatestFee } from '../../src/chains/solana/programs.ts';
import { messageView } from '../../src/chains/solana/transaction.ts';
import { readTransaction } from '../../src/chains/solana/wire.ts';
import { SOL, whole } from '../amounts.ts';
import { signedBy } from '../evm/transaction.ts';
import { shownName } from '../named.ts';
import { fact, fieldsOf, type Given, listOf, member, type Read, textOf } from '../parts.ts';
import type { Call, Warning } from '../types.ts';
import { instructionCall } from './instruction.ts';
import { solanaMoves } from './moves.ts';

const NONE: ReadonlyMap<string, string> = new Map();

/** Instructions that only say what the transaction may cost. */
const isBudget = ({ function: text = '', named }: Call): boolean => named === undefined && text.startsWith('ComputeBudget ');

function titleOf(calls: readonly Call[]): string {
  const [first, ...more] = calls.filter((call) => !isBudget(call));
  if (first === undefined) return 'Run nothing on Solana';
  if (more.length > 0) return `Run ${more.length + 1} instructions on Solana`;
  const { function: text, value, arguments: given } = first;
  const argument = (name: string) => given.find((each) => each.name === name)?.value;
  if (text === undefined) return `Run an instruction of ${first.to}, not decoded`;
  if (first.named !== undefined) return `Run ${shownName(text, first)} of ${first.to} on Solana`;
  if (text === 'System Transfer' && value !== undefined) return `Send ${value.amount} SOL`;
  if (text.endsWith(' TransferChecked'))
    return `Send ${whole(BigInt(argument('amount')!), Number(argument('decimals')))} of the token ${argument('mint')}`;
  return `Run ${text} on Solana`;
}

/** `signers`: the addresses that sign, as the body names them. */
export function readSolana(bytes: Uint8Array, signers: readonly string[], given: Given): Read {
  const { message } = readTransaction(bytes);
  const decoded = messageView(message, given.contractInterfaces ?? NONE);
  const calls = decoded.instructions.map(instructionCall);
  const [payer] = message.keys;
  const warnings: Warning[] = [];
  if (decoded.address_table_lookup_references.length > 0)
    warnings.push({
      code: 'lookup-table',
      level: 'amber',
      text: 'Some accounts are entries of a lookup table: their addresses are not in what is signed',
    });
  const facts = [
    ...signers.map(signedBy),
    fact('network', 'Solana; the bytes name no cluster', 'text'),
    fact('fee payer', base58.encode(payer!), 'address'),
    fact('fee at most', whole(greatestFee(message), SOL.decimals), 'amount', { unit: SOL.unit }),
    ...solanaMoves(calls),
    fact('recent blockhash', decoded.recent_blockhash, 'text'),
  ];
  return { title: titleOf(calls), form: 'solana', facts, calls, warnings, elements: [[...fieldsOf(decoded, 'solana.tx')]] };
}

/** Hex, or base64 where a transaction is sent. */
function bytesOf(text: string): Uint8Array {
  const bytes = fromHex(text.replace(/^0x/, '')) ?? fromBase64Url(plainBase64Url(text));
  if (bytes === undefined) throw new Error('the transaction is neither hex nor base64');
  return bytes;
}

/** A transaction that the service sends. It may put another blockhash into it, and another payer of the fee. */
export function readSolanaSend(given: Given): Read {
  const { parameters } = given;
  const listed = member(parameters, 'signWiths') !== undefined;
  const signers = listed ? listOf(parameters, 'signWiths').map(String) : [textOf(parameters, 'signWith')];
  const read = readSolana(bytesOf(textOf(parameters, 'unsignedTransaction')), signers, given);
  const network = fact('network', textOf(parameters, 'caip2'), 'text');
  const facts = read.facts.map((each) => (each.label === 'network' ? network : each));
  const paid = fact('fee is paid by', 'the organization, as a sponsored send', 'text');
  return { ...read, facts: member(parameters, 'sponsor') === true ? [...facts, paid] : facts };
}
