import type { Call, Warning } from '../types.ts';

/** From this amount on an allowance is as good as unlimited. Some tokens keep allowances in 96 bits. */
export const UNLIMITED = 2n ** 96n - 1n;

type Given = { readonly call: Call; argument(name: string): string | undefined };
type Row = readonly [functions: RegExp, code: string, level: Warning['level'], text: (given: Given) => string | undefined];

const isUnlimited = (amount: string | undefined): boolean => amount !== undefined && BigInt(amount) >= UNLIMITED;

const control =
  (text: string): Row[3] =>
  ({ call }) =>
    `${text} ${call.to}`;

/** Of a Safe that pays its gas itself. */
export const REFUND = 'The Safe pays its sender for gas, as much as the sender says: gasPrice is not 0';

const ROWS: readonly Row[] = [
  [
    /^(?:approve|increaseAllowance|permit)\(/,
    'unlimited-approval',
    'red',
    ({ call, argument }) =>
      isUnlimited(argument('amount')) || argument('allowed') === 'true'
        ? `${argument('spender')} may take all tokens of ${argument('token') ?? call.to}, at any time`
        : undefined,
  ],
  [
    /^setApprovalForAll\(/,
    'approval-for-all',
    'red',
    ({ call, argument }) =>
      argument('approved') === 'true' ? `${argument('operator')} may take all tokens of ${call.to}, at any time` : undefined,
  ],
  [/^(?:upgradeTo|upgradeToAndCall)\(/, 'upgrade', 'red', control('It replaces the code of')],
  [
    /^(?:changeAdmin|transferOwnership|renounceOwnership|acceptOwnership|grantRole|revokeRole)\(/,
    'control',
    'red',
    control('It changes which account controls'),
  ],
  [
    /^(?:addOwnerWithThreshold|removeOwner|swapOwner|changeThreshold|enableModule|disableModule|setGuard|setFallbackHandler)\(/,
    'control',
    'red',
    control('It changes which accounts control the Safe'),
  ],
  [
    /^(?:transfer|transferWithMemo|transferFrom|safeTransferFrom)\(/,
    'zero-address',
    'red',
    ({ argument }) =>
      /^(?:0x0{40}|T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb)$/.test(argument('to') ?? '')
        ? 'The recipient is the zero address: what goes there is lost'
        : undefined,
  ],
  [/^execTransaction\(/, 'refund', 'red', ({ argument }) => ((argument('gasPrice') ?? '0') === '0' ? undefined : REFUND)],
  [
    /^(?:transfer|transferWithMemo)\(/,
    'to-the-token',
    'amber',
    ({ call, argument }) =>
      argument('to') === call.to ? 'The recipient is the token itself: such tokens are mostly lost' : undefined,
  ],
];

/** The dangers of a decoded call. */
export function dangersOf(call: Call): Warning[] {
  const { function: text = '' } = call;
  const argument = (name: string) => call.arguments.find((each) => each.name === name)?.value;
  return ROWS.flatMap(([functions, code, level, say]) => {
    const said = functions.test(text) ? say({ call, argument }) : undefined;
    return said === undefined ? [] : [{ code, level, text: said }];
  });
}
