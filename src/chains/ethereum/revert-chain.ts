import { type ErrorAbi, errorsOf, STATION_ERRORS } from './abi-errors.ts';
import { HEX_ADDRESS, toChecksumAddress } from './address.ts';
import { decodeRevert, type RevertEntry } from './revert.ts';

/** A call of a trace, with what it called if it failed. `to`: 0x and hex; undefined where a contract was to be created. */
export type CallFrame = {
  readonly to: string | undefined;
  /** What it returned, or reverted with: 0x and lower-case hex. */
  readonly output: string;
  /** Why it failed; undefined if it did not. */
  readonly error: string | undefined;
  readonly calls: readonly CallFrame[];
};

/** Uploaded interfaces by address, in lower case. */
export type Interfaces = ReadonlyMap<string, string>;

/** Entries of a chain. Of a longer one the outermost and the innermost are kept. */
const MOST_ENTRIES = 32;

const failed = ({ error }: CallFrame) => error !== undefined;

/**
 * The call inside whose failure made this one fail: the last one, if nothing went well after it; or one whose data was passed on. A call
 * that failed and was caught is not the cause of what came later.
 */
function causeOf({ calls, output }: CallFrame): CallFrame | undefined {
  const last = calls.at(-1);
  if (last !== undefined && failed(last)) return last;
  return output === '0x' ? undefined : calls.findLast((call) => failed(call) && call.output === output);
}

/** The calls that failed, the outermost first. */
function failures(outermost: CallFrame): CallFrame[] {
  const found: CallFrame[] = [];
  for (let frame: CallFrame | undefined = outermost; frame !== undefined && failed(frame); frame = causeOf(frame))
    found.push(frame);
  return found;
}

const kept = (found: readonly CallFrame[]) =>
  found.length <= MOST_ENTRIES ? found : [...found.slice(0, MOST_ENTRIES / 2), ...found.slice(-MOST_ENTRIES / 2)];

const shown = (address: string | undefined) =>
  address !== undefined && HEX_ADDRESS.test(address) ? toChecksumAddress(address) : '';

/** The contracts that reverted, in lower case: their interfaces explain the chain. */
export const revertedIn = (outermost: CallFrame): string[] => [
  ...new Set(kept(failures(outermost)).flatMap(({ to }) => (to === undefined ? [] : [to.toLowerCase()]))),
];

/** What reverted, from the outermost call to the innermost. Errors are those of a contract's own interface, else of others here. */
export function revertChain(outermost: CallFrame, interfaces: Interfaces): RevertEntry[] {
  const all: ErrorAbi[] = [...[...interfaces.values()].map(errorsOf), STATION_ERRORS];
  return kept(failures(outermost)).map(({ to, output, error }) => {
    const own = interfaces.get(to?.toLowerCase() ?? '');
    const abis = own === undefined ? all : [errorsOf(own), ...all];
    return decodeRevert({ address: shown(to), data: output, reason: error ?? '' }, abis);
  });
}
