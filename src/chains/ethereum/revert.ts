import { hexBytes } from '../../base/bytes.ts';
import type { Value } from '../../policy/index.ts';
import type { ErrorAbi } from './abi-errors.ts';
import { decodeArguments, elementary } from './abi-values.ts';

/** One call that reverted, as callers see it. */
export type RevertEntry = {
  /** The contract that reverted. */
  address: string;
  errorType: 'unknown' | 'native' | 'custom';
  displayMessage: string;
  unknown?: { selector: string; data: string };
  native?: { nativeType: 'error_string' | 'panic' | 'execution_reverted'; message: string; panicCode?: string };
  custom?: { errorName: string; paramsJson: string };
};

/** `data`: 0x and lower-case hex. `reason`: the node's text beside it. */
export type Reverted = { address: string; data: string; reason: string };

const ERROR_STRING = '0x08c379a0';
const PANIC = '0x4e487b71';

/** The most bytes that are decoded, and the most bytes that are kept of undecodable data. */
const MOST_DECODED = 16_384;
const MOST_KEPT = 4096;
const LONGEST_MESSAGE = 1024;
const LONGEST_JSON = 16_384;

/** Solidity, "Panic via assert and Error via require". */
const PANICS: Readonly<Record<string, string>> = {
  '0': 'generic panic',
  '1': 'assertion failed',
  '17': 'arithmetic overflow or underflow',
  '18': 'division or modulo by zero',
  '33': 'conversion to an enum value that does not exist',
  '34': 'storage byte array is wrongly encoded',
  '49': 'pop of an empty array',
  '50': 'array index out of bounds',
  '65': 'too much memory allocated',
  '81': 'call of a function pointer that was never set',
};

/** For a line of text: contracts may write anything. */
const plain = (text: string, longest = LONGEST_MESSAGE) =>
  text
    .replace(/\p{Cc}/gu, '\ufffd')
    .slice(0, longest)
    .toWellFormed();

const wordOf = (value: bigint) => `0x${value.toString(16)}`;

function errorString(address: string, message: string): RevertEntry {
  const shown = plain(message);
  return { address, errorType: 'native', displayMessage: shown, native: { nativeType: 'error_string', message: shown } };
}

function bare(address: string, reason: string): RevertEntry {
  const message = plain(reason) || 'execution reverted';
  return { address, errorType: 'native', displayMessage: message, native: { nativeType: 'execution_reverted', message } };
}

function panic(address: string, code: bigint): RevertEntry {
  const message = `${PANICS[code.toString()] ?? 'panic'} (${wordOf(code)})`;
  const native = { nativeType: 'panic' as const, message, panicCode: code.toString() };
  return { address, errorType: 'native', displayMessage: `panic: ${message}`, native };
}

/** The node gives no data: its text is all there is. */
function withoutData({ address, reason }: Reverted): RevertEntry {
  const said = /execution reverted(?:: (.+))?/is.exec(reason);
  if (said === null) return bare(address, reason);
  return said[1] === undefined ? bare(address, '') : errorString(address, said[1]);
}

function unknown(address: string, data: string): RevertEntry {
  const selector = data.slice(0, 10);
  const kept = data.slice(0, 2 + 2 * MOST_KEPT);
  return { address, errorType: 'unknown', displayMessage: `unknown error ${selector}`, unknown: { selector, data: kept } };
}

const jsonValue = (value: Value): unknown =>
  typeof value === 'bigint' ? value.toString() : Array.isArray(value) ? value.map(jsonValue) : value;

function custom(address: string, data: string, abis: readonly ErrorAbi[]): RevertEntry | undefined {
  const selector = data.slice(0, 10);
  for (const abi of abis) {
    const error = abi.get(selector);
    const values = error && decodeArguments(error.types, hexBytes(data.slice(10)));
    if (error === undefined || values === undefined) continue;
    const params = Object.fromEntries(error.names.map((name, i) => [name, jsonValue(values[i]!)]));
    const json = JSON.stringify(params);
    const fits = json.length <= LONGEST_JSON;
    const shown = error.names.map((name) => `${/^\d+$/.test(name) ? '' : `${name}: `}${JSON.stringify(params[name])}`).join(', ');
    const displayMessage = plain(`${error.name}(${fits ? shown.replaceAll('"', '') : '…'})`);
    return { address, errorType: 'custom', displayMessage, custom: { errorName: error.name, paramsJson: fits ? json : '{}' } };
  }
  return undefined;
}

/** Decodes the data of a revert. `abis`: the likeliest first. Data that no rule explains is unknown, and kept. */
export function decodeRevert(reverted: Reverted, abis: readonly ErrorAbi[]): RevertEntry {
  const { address, data } = reverted;
  if (data === '0x') return withoutData(reverted);
  const size = data.length / 2 - 1;
  if (size < 4 || size > MOST_DECODED) return unknown(address, data);
  const selector = data.slice(0, 10);
  if (selector === ERROR_STRING || selector === PANIC) {
    const type = elementary(selector === PANIC ? 'uint256' : 'string');
    const [value] = decodeArguments([type], hexBytes(data.slice(10))) ?? [];
    if (typeof value === 'string') return value === '' ? bare(address, '') : errorString(address, value);
    if (typeof value === 'bigint' && value < 2n ** 64n) return panic(address, value);
  }
  return custom(address, data, abis) ?? unknown(address, data);
}
