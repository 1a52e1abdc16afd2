import { Lru } from '../../base/lru.ts';
import { type CompiledFunction, compileFunction, type Entry } from './abi.ts';

/** Custom errors by their selectors: 0x and eight hex digits. */
export type ErrorAbi = ReadonlyMap<string, CompiledFunction>;

/** Entries that are no valid errors are left out: an upload checks only the functions of an interface. */
function compileErrors(abi: unknown): ErrorAbi {
  const errors = new Map<string, CompiledFunction>();
  for (const entry of Array.isArray(abi) ? (abi as (Entry | null)[]) : []) {
    if (typeof entry !== 'object' || entry === null || entry.type !== 'error') continue;
    const compiled = compileFunction(entry, 'error');
    if (typeof compiled !== 'string' && !errors.has(compiled.selector)) errors.set(compiled.selector, compiled);
  }
  return errors;
}

const compiled = new Lru<ErrorAbi>(64);

/** The errors of an uploaded interface. */
export function errorsOf(interfaceText: string): ErrorAbi {
  const known = compiled.get(interfaceText);
  if (known) return known;
  const made = compileErrors(JSON.parse(interfaceText));
  compiled.set(interfaceText, made);
  return made;
}

const WITHOUT_INPUTS = [
  'InvalidNonce',
  'DeadlineExceeded',
  'BatchSizeInvalid',
  'InvalidToContract',
  'NotSelf',
  'ExecutionFailed',
  'UnsupportedExecutionMode',
  'ApprovalFailed',
  'ApprovalTo0Failed',
  'ApprovalReturnFalse',
  'InvalidOffset',
  'InvalidCounter',
  'NotDelegated',
  'InvalidFunctionSelector',
];

/** The errors of the gas station's contracts. */
export const STATION_ERRORS: ErrorAbi = compileErrors(WITHOUT_INPUTS.map((name) => ({ type: 'error', name, inputs: [] })));
