import { isObject } from '../../../base/json.ts';
import type { CallFrame } from '../../../chains/ethereum/revert-chain.ts';
import { address, data, object, optional, text } from '../read.ts';

/** The most calls that are looked at; a trace may have many more. */
const MOST_CALLS = 20_000;
const DEEPEST = 1100;

/**
 * Reads the answer of geth’s `callTracer`: the failed call, and the calls that it made. Successful calls are kept without their
 * inner calls.
 */
export function readFrame(value: unknown): CallFrame {
  let left = MOST_CALLS;
  const read = (given: unknown, depth: number): CallFrame => {
    const frame = object(given);
    const error = optional(text)(frame.error);
    const inner = error !== undefined && Array.isArray(frame.calls) && depth < DEEPEST ? frame.calls : [];
    // The failure may come from the last ones.
    const taken = inner.slice(-left);
    left -= taken.length;
    return {
      to: optional(address)(frame.to),
      output: optional(data)(frame.output) ?? '0x',
      error,
      calls: taken.filter(isObject).map((call) => read(call, depth + 1)),
    };
  };
  return read(value, 0);
}
