import { type ErrorAbi, errorsOf, STATION_ERRORS } from './abi-errors.ts';
import { HEX_ADDRESS, toChecksumAddress } from './address.ts';
import { decodeRevert, type RevertEntry } from './revert.ts';

/** A call of a trace, with its inner calls if it failed. `to`: 0x and hex; undefined if a contract was to be created. */
export type CallFrame = {
  readonly to: string | undefined;
  /** The data that it returned, or reverted with: 0x and lower-case hex. */
  readonly output: string;
  /** Why it failed; undefined if it did not. */
  readonly error: string | undefined;
  readonly calls: readonly CallFrame[];
};

/** Uploaded interfaces by address, in lower case. */
export type Interfaces = ReadonlyMap<string, string>;

/** The most entries of a chain. Of a longer one the outermost and the innermost are outerAndInner. */
const MOST_ENTRIES = 32;

const failed = ({ error }: CallFrame) => error !== undefined;

/**
 * The inner call whose failure made this one fail. It is the last one, if it failed; or one whose data was passed on. A call that
 * failed and was caught is not the cause of a later failure.
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

const outerAndInner = (found: readonly CallFrame[]) =>
  found.length <= MOST_ENTRIES ? found : [...found.slice(0, MOST_ENTRIES / 2), ...found.slice(-MOST_ENTRIES / 2)];

const shown = (address: string | undefined) =>
  address !== undefined && HEX_ADDRESS.test(address) ? toChecksumAddress(address) : '';

/** The contracts that reverted, in lower case: their interfaces explain the chain. */
export const revertedIn = (outermost: CallFrame): string[] => [
  ...new Set(outerAndInner(failures(outermost)).flatMap(({ to }) => (to === undefined ? [] : [to.toLowerCase()]))),
];

/**
 * The calls that reverted, from the outermost to the innermost. Errors are decoded by a contract's own interface, else by the other
 * interfaces here.
 */
export function revertChain(outermost: CallFrame, interfaces: Interfaces): RevertEntry[] {
  const all: ErrorAbi[] = [...[...interfaces.values()].map(errorsOf), STATION_ERRORS];
  return outerAndInner(failures(outermost)).map(({ to, output, error }) => {
    const own = interfaces.get(to?.toLowerCase() ?? '');
    const abis = own === undefined ? all : [errorsOf(own), ...all];
    return decodeRevert({ address: shown(to), data: output, reason: error ?? '' }, abis);
  });
}
