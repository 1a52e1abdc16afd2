/** What calls move, and what they let others take: the accounts and amounts that an approver looks for first. */
import { whole } from './amounts.ts';
import { walk } from './evm/call.ts';
import { UNLIMITED } from './evm/dangers.ts';
import { grouped } from './grouped.ts';
import { fact } from './parts.ts';
import type { Call, Fact, ReviewOptions } from './types.ts';
import { visible } from './visible.ts';

/** Functions that the review knows. `account`: the name of its argument. */
type Row = readonly [functions: RegExp, as: 'recipient' | 'spender', account: string, label: string];

const ROWS: readonly Row[] = [
  [/^(?:transfer(?:WithMemo|From|FromWithMemo|WithAuthorization)?|receiveWithAuthorization|mint)\(/, 'recipient', 'to', 'amount'],
  [/^safe(?:Batch)?TransferFrom\(/, 'recipient', 'to', 'amount'],
  [/^(?:approve|permit)\(/, 'spender', 'spender', 'may take'],
  [/^increaseAllowance\(/, 'spender', 'spender', 'may take more, by'],
  [/^decreaseAllowance\(/, 'spender', 'spender', 'may take less, by'],
  [/^setApprovalForAll\(/, 'spender', 'operator', 'may take'],
];

/** More are among the calls. */
const MOST = 50;

const payeeIn = (move: readonly Fact[]): string => move[0]!.value;

/** One move to each payee goes before a second to the same one. Kept ones stay in their order. */
function bounded(moves: readonly (readonly Fact[])[]): Fact[] {
  if (moves.length <= MOST) return moves.flat();
  const first = new Map(moves.toReversed().map((move) => [payeeIn(move), move]));
  const firsts = new Set(first.values());
  const kept = new Set(
    [...moves.filter((move) => firsts.has(move)), ...moves.filter((move) => !firsts.has(move))].slice(0, MOST),
  );
  const left = moves.filter((move) => !kept.has(move));
  const others = {
    payees: Math.max(first.size - MOST, 0),
    amounts: left.flat().filter(({ main, kind }) => main && kind === 'amount').length,
  };
  const more = fact('and', `${left.length} more, among the calls below`, 'text', { others });
  return [...moves.filter((move) => kept.has(move)).flat(), more];
}

const MAIN = { main: true } as const;

/** A delegate call moves nothing of the contract whose code it runs. */
const rowOf = ({ function: text = '', named, data, isDelegate }: Call): Row | undefined =>
  named === undefined && data === undefined && !isDelegate ? ROWS.find(([functions]) => functions.test(text)) : undefined;

/** `asset`: undefined if the bytes do not name it. `tokens`: those that the service knows. */
export function tokenAmount(label: string, amount: bigint, asset: string | undefined, tokens: ReviewOptions['tokens']): Fact {
  const known = asset === undefined ? undefined : tokens?.get(asset);
  const all = amount >= UNLIMITED;
  const said = known && `${whole(amount, known.decimals)} ${visible(known.symbol)}`;
  return fact(label, grouped(String(amount)), 'amount', {
    ...{ unit: 'smallest units', ...MAIN },
    ...(asset !== undefined && { asset }),
    ...(all
      ? { note: 'as good as unlimited' }
      : said === undefined
        ? { note: 'decimals unknown, so whole tokens are not shown' }
        : { whole: `${said} (as the service says: ${known!.decimals} decimals)` }),
  });
}

/** A token in the form of CAIP-19. Undefined if that is not in the bytes. */
export const assetOf = (chain: string, token: string | undefined): string | undefined =>
  chain === '' || !token ? undefined : `${chain}/erc20:${token.toLowerCase()}`;

/** What a call moves of a token. */
function tokenFacts(call: Call, [, as, account, label]: Row, chain: string, tokens: ReviewOptions['tokens']): Fact[] {
  const argument = (name: string) => call.arguments.find((each) => each.name === name)?.value;
  const [from, amount, flag] = [argument('from'), argument('amount'), argument('allowed') ?? argument('approved')];
  const token = argument('token') ?? call.to;
  // Of tokens with ids, each amount belongs to an id.
  const ofIds = call.arguments.filter(({ name }) => /^(?:tokenId|id|ids\[\d+\]|amounts\[\d+\])$/.test(name));
  const isOfId = argument('id') !== undefined;
  return [
    fact(as, argument(account) ?? '', 'address', MAIN),
    ...ofIds.map(({ name, value }) => fact(name === 'tokenId' ? 'token id' : name, value, 'number', MAIN)),
    ...(amount === undefined
      ? []
      : isOfId
        ? [fact(label, grouped(amount), 'amount', MAIN)]
        : [tokenAmount(label, BigInt(amount), assetOf(chain, token), tokens)]),
    ...(flag === undefined ? [] : [fact(label, flag === 'true' ? 'all tokens' : 'nothing', 'text', MAIN)]),
    fact('token contract', token, 'address'),
    ...(from === undefined ? [] : [fact('from', from, 'address')]),
  ];
}

/** A call in a list, or inside another, that pays a coin. Its own calls may pass it on. */
const paidFacts = ({ to, value, calls }: Call): Fact[] =>
  value === undefined || calls.length > 0
    ? []
    : [fact('recipient', to, 'address', MAIN), fact('amount', value.amount, 'amount', { unit: value.unit, ...MAIN })];

/** A single payment has its recipient and amount among the facts of its transaction. */
export function movedFacts(calls: readonly Call[], chain: string, tokens: ReviewOptions['tokens']): Fact[] {
  const isSingle = calls.length === 1 && calls[0]!.calls.length === 0;
  const moves = [...walk(calls)].flatMap(([, call]) => {
    const row = rowOf(call);
    return [...(row === undefined ? [] : [tokenFacts(call, row, chain, tokens)]), ...(isSingle ? [] : [paidFacts(call)])];
  });
  return bounded(moves.filter((facts) => facts.length > 0));
}

/** The accounts that a transaction itself names, apart from those that `movedFacts` has. */
export const toFacts = (calls: readonly Call[]): Fact[] =>
  calls.flatMap((call) => {
    const { to, function: text, data, value } = call;
    if (to === '' || rowOf(call) !== undefined) return [];
    if (text !== undefined || data !== undefined) return [fact('contract', to, 'address')];
    return calls.length > 1 && value !== undefined ? [] : [fact('to', to, 'address', MAIN)];
  });

/** Coins that the transaction sends along. Nothing is no amount to look at. */
export const valueFact = (label: string, amount: bigint, { unit, decimals }: { unit: string; decimals: number }): Fact =>
  fact(label, whole(amount, decimals), amount === 0n ? 'number' : 'amount', { unit });
