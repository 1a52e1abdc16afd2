import { fromHex, toHex } from '../../src/base/bytes.ts';
import { arrayOf, decodeArguments, elementary, tupleOf } from '../../src/chains/ethereum/abi-values.ts';

/** A call inside another. `to`, `data`: 0x and lower-case hex. */
export type Inner = { readonly to: string; readonly value: bigint; readonly data: string; readonly isDelegate: boolean };

// biome-ignore lint/suspicious/noExplicitAny: the signature of each row gives the types of its arguments.
type Read = (args: any, self: string) => Inner[] | undefined;

const inner = (to: string, value: bigint, data: string, isDelegate = false): Inner => ({ to, value, data, isDelegate });

/** A contract that calls itself runs its own code, so the calls of its parts look alike. */
const ofItself =
  (at: number): Read =>
  (args, self) =>
    args[at].map((data: string) => inner(self, 0n, data));

const listed =
  (at: number, value: number | undefined, data: number): Read =>
  (args) =>
    args[at].map((call: readonly unknown[]) =>
      inner(call[0] as string, value === undefined ? 0n : (call[value] as bigint), call[data] as string),
    );

/** Safe: operation 1 delegates. Any other number is refused by its contract. */
const bySafe: Read = ([to, value, data, operation]) => [inner(to, value, data, operation !== 0n)];

const plain: Read = ([to, value, data]) => [inner(to, value, data)];

/** Safe's list: for each call an operation, an address, a value, a length and the data, without padding. */
const packed: Read = ([transactions]) => {
  const text = (transactions as string).slice(2);
  const found: Inner[] = [];
  for (let at = 0; at < text.length; ) {
    const head = text.slice(at, at + 170);
    if (head.length < 170) return undefined;
    const length = BigInt(`0x${head.slice(106)}`);
    const end = BigInt(at + 170) + 2n * length;
    if (end > BigInt(text.length)) return undefined;
    const data = text.slice(at + 170, Number(end));
    found.push(inner(`0x${head.slice(2, 42)}`, BigInt(`0x${head.slice(42, 106)}`), `0x${data}`, head.slice(0, 2) !== '00'));
    at = Number(end);
  }
  return found;
};

const BATCH = [arrayOf(tupleOf([elementary('address'), elementary('uint256'), elementary('bytes')]), undefined)];

/** ERC-7579: the first byte of the mode says how the calls are written. */
const byMode: Read = ([mode, calls]) => {
  const [kind, bytes] = [(mode as string).slice(2, 4), fromHex((calls as string).slice(2))];
  if (bytes === undefined) return undefined;
  const word = (from: number, to: number) => `0x${toHex(bytes.subarray(from, to))}`;
  if (kind === '01') return decodeArguments(BATCH, bytes)?.flatMap((list) => listed(0, 1, 2)([list], '')!);
  if (kind === '00' && bytes.length >= 52) return [inner(word(0, 20), BigInt(word(20, 52)), word(52, bytes.length))];
  if (kind === 'ff' && bytes.length >= 20) return [inner(word(0, 20), 0n, word(20, bytes.length), true)];
  return undefined;
};

const parallel =
  (values: number | undefined, datas: number): Read =>
  (args) => {
    const [targets, list] = [args[0] as string[], args[datas] as string[]];
    const worth = values === undefined ? targets.map(() => 0n) : (args[values] as bigint[]);
    if (targets.length !== list.length || (worth.length !== targets.length && worth.length !== 0)) return undefined;
    return targets.map((to, i) => inner(to, worth[i] ?? 0n, list[i]!));
  };

/** By the start of the function's text, which names its parameters. */
const READERS: readonly (readonly [start: string, read: Read])[] = [
  ['multicall(bytes[] ', ofItself(0)],
  ['multicall(uint256 ', ofItself(1)],
  ['multicall(bytes32 ', ofItself(1)],
  ['aggregate(', listed(0, undefined, 1)],
  ['tryAggregate(', listed(1, undefined, 1)],
  ['aggregate3(', listed(0, undefined, 2)],
  ['aggregate3Value(', listed(0, 2, 3)],
  ['multiSend(bytes ', packed],
  ['execTransaction(', bySafe],
  ['execTransactionFromModule(', bySafe],
  ['execute(address target, uint256 value, bytes ', plain],
  ['execute(bytes32 mode, ', byMode],
  ['executeBatch(address[] targets, bytes[] ', parallel(undefined, 1)],
  ['executeBatch(address[] targets, uint256[] ', parallel(1, 2)],
  ['executeBatch((address target, ', listed(0, 1, 2)],
  ['schedule(', plain],
  ['upgradeToAndCall(', ([to, data]) => (data === '0x' ? [] : [inner(to, 0n, data, true)])],
];

/** The calls inside a call. `unread`: the function calls others, and they cannot be read. */
export function innerCalls(text: string, args: readonly unknown[], self: string): Inner[] | 'unread' {
  const read = READERS.find(([start]) => text.startsWith(start))?.[1];
  return read === undefined ? [] : (read(args, self) ?? 'unread');
}
