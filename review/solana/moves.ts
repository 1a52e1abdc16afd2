/** What instructions move, and what they let others take or control. */
import { grouped } from '../grouped.ts';
import { fact } from '../parts.ts';
import type { Call, Fact } from '../types.ts';

/** An argument, and its label among the facts. */
type Place = readonly [argument: string, label: string];
/** `to`: the account that gets something. `amount`: its label. */
type Row = { readonly of: Place; readonly to?: Place; readonly amount?: string; readonly owner?: Place };

const ACCOUNT: Place = ['account', 'token account'];
const TRANSFER: Row = { of: ['from', 'from'], to: ['to', 'to'], amount: 'amount' };
const TOKENS: Row = { of: ['from', 'from token account'], to: ['to', 'to token account'], amount: 'amount' };
const APPROVAL: Row = { of: ACCOUNT, to: ['delegate', 'spender'], amount: 'may take' };
const BURN: Row = { of: ACCOUNT, amount: 'burns' };

const ROWS: ReadonlyMap<string, Row> = new Map([
  ['System Transfer', TRANSFER],
  ['System TransferWithSeed', TRANSFER],
  ['System CreateAccount', { ...TRANSFER, to: ['new', 'to'], owner: ['owner', 'owned by the program'] }],
  ['System WithdrawNonceAccount', { ...TRANSFER, of: ['nonce', 'from'] }],
  ['System Assign', { of: ['account', 'account'], to: ['owner', 'new owner'] }],
  ['System AuthorizeNonceAccount', { of: ['nonce', 'nonce account'], to: ['new authority', 'new authority'] }],
  ['Token Transfer', TOKENS],
  ['Token TransferChecked', TOKENS],
  ['Token TransferCheckedWithFee', TOKENS],
  ['Token MintTo', { ...TOKENS, of: ['mint', 'mint'] }],
  ['Token Burn', BURN],
  ['Token BurnChecked', BURN],
  ['Token Approve', APPROVAL],
  ['Token ApproveChecked', APPROVAL],
  ['Token SetAuthority', { of: ['account', 'account'], to: ['new authority', 'new authority'] }],
  ['Token CloseAccount', { of: ACCOUNT, to: ['to', 'to'], amount: 'amount' }],
]);

const MAIN = { main: true } as const;

function amountOf(label: string, { value }: Call, argument: (name: string) => string | undefined): Fact {
  if (value !== undefined) return fact(label, value.amount, 'amount', { unit: value.unit, ...MAIN });
  const amount = argument('amount');
  if (amount === undefined) return fact(label, `all SOL of ${argument('account')}`, 'amount', MAIN);
  const mint = argument('mint');
  const unit = mint === undefined ? 'smallest units of a token that is not named' : `smallest units of ${mint}`;
  return fact(label, grouped(amount), 'amount', { unit, ...MAIN });
}

/** Programs refuse an instruction with too few accounts, so it moves nothing. */
function factsOf(call: Call): Fact[] {
  const { function: text = '', named, data, arguments: given } = call;
  const row = named === undefined && data === undefined ? ROWS.get(text.replace(/^Token-2022 /, 'Token ')) : undefined;
  if (row === undefined) return [];
  const argument = (name: string) => given.find((each) => each.name === name)?.value;
  const shown = (place: Place | undefined, more: Partial<Fact>): Fact[] => {
    const value = place && argument(place[0]);
    return value === undefined ? [] : [fact(place![1], value, value === 'none' ? 'text' : 'address', more)];
  };
  const to = shown(row.to, MAIN);
  if (row.to !== undefined && to.length === 0) return [];
  return [
    ...shown(row.of, {}),
    ...to,
    ...(row.amount === undefined ? [] : [amountOf(row.amount, call, argument)]),
    ...shown(row.owner, {}),
  ];
}

export const solanaMoves = (calls: readonly Call[]): Fact[] => calls.flatMap(factsOf);
