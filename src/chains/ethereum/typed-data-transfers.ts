import { hexBytes } from '../../base/bytes.ts';
import { toBase58check } from '../shared/base58check.ts';
import { ANY, type Asset, moved, type Reading, type Unreadable, unread } from '../shared/transfers.ts';
import { type HashBudget, readTypedData, type TypedData, type TypedStruct } from './eip712.ts';
import { erc20 } from './read-transfers.ts';
import { withTwins } from './special-chains.ts';
import { allOrNothing, allowance, MOST_OF_PERMIT2, once, type Taken } from './token-calls.ts';

/** The chain ids of Tron and its test networks. Contracts there verify the same messages of the same keys. */
const TRON = new Set([728_126_428n, 2_494_104_990n, 3_448_148_188n]);

// biome-ignore lint/suspicious/noExplicitAny: the type of each row gives the types of its members.
type Message = any;
type Read = (message: Message, account: string) => readonly Taken[];

const PERMITTED = 'TokenPermissions(address token,uint256 amount)';
const DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)';
const AUTHORIZED = '(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)';

const authorized: Read = ({ from, to, value, validAfter: after, validBefore: before }) => [
  once('permit', from, to, value, { after, before }),
];

/** The spender of Permit2 chooses who receives, up to the amount. */
const permitted =
  (listOf: (permitted: Message) => Message[]): Read =>
  ({ permitted, spender, deadline: before }, account) =>
    listOf(permitted).map(({ token, amount }) => ({ ...once('permit', account, spender, amount, { before }), token }));

const allowed =
  (listOf: (details: Message) => Message[]): Read =>
  ({ details, spender }, account) =>
    listOf(details).map(({ token, amount, expiration: before }) => ({
      ...allowance('permit', account, spender, amount, { most: MOST_OF_PERMIT2, before }),
      token,
    }));

const single = (one: Message): Message[] => [one];
const batch = (list: Message[]): Message[] => list;

/** Messages by the whole text of their type: a contract accepts no other under the same name. */
const TYPES: ReadonlyMap<string, Read> = new Map<string, Read>([
  [
    'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)',
    ({ owner, spender, value, deadline: before }) => [allowance('permit', owner, spender, value, { before })],
  ],
  [
    'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)',
    ({ holder, spender, expiry, allowed: isAll }) => [allOrNothing(holder, spender, isAll, expiry)],
  ],
  [`TransferWithAuthorization${AUTHORIZED}`, authorized],
  [`ReceiveWithAuthorization${AUTHORIZED}`, authorized],
  ['CancelAuthorization(address authorizer,bytes32 nonce)', () => []],
  [`PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`, allowed(single)],
  [`PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`, allowed(batch)],
  [
    `PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)${PERMITTED}`,
    permitted(single),
  ],
  [
    `PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline)${PERMITTED}`,
    permitted(batch),
  ],
]);

/** Permit2 puts any further members after these, and any types after them. */
const WITNESSED: readonly (readonly [start: string, read: Read])[] = [
  ['PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,', permitted(single)],
  [
    'PermitBatchWitnessTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline,',
    permitted(batch),
  ],
];

function readerOf({ encodedType }: TypedData): Read | undefined {
  const known = TYPES.get(encodedType);
  if (known !== undefined || !encodedType.includes(`)${PERMITTED}`)) return known;
  return WITNESSED.find(([start]) => encodedType.startsWith(start))?.[1];
}

/** The largest id of an EVM chain. Contracts of Tron may hold the whole hash of its first block as their chain id. */
const GREATEST_CHAIN_ID = 2n ** 63n - 37n;

/** What the domain of a signature binds it to. */
function bindingOf({ chainId, verifyingContract }: TypedStruct): { chainId: bigint | undefined; contract: string | undefined } {
  const isContract = typeof verifyingContract === 'string' && /^0x[0-9a-f]{40}$/.test(verifyingContract);
  return {
    chainId: typeof chainId === 'bigint' && chainId > 0n && chainId <= GREATEST_CHAIN_ID ? chainId : undefined,
    contract: isContract ? verifyingContract : undefined,
  };
}

/** All assets that such a message may move. */
function unknownData(chainId: bigint | undefined, why: string): Reading {
  const of = { cause: 'typed-data', why } as const;
  const onTron: Unreadable = { namespace: 'tron', chain: ANY, ...of };
  if (chainId !== undefined && TRON.has(chainId)) return unread(onTron);
  const elsewhere: Unreadable = { namespace: 'eip155', chain: chainId === undefined ? ANY : String(chainId), ...of };
  return chainId === undefined ? unread(elsewhere, onTron) : unread(elsewhere);
}

const tron = (address: string): string => toBase58check(0x41, hexBytes(address.slice(2)));

function transferOf(chainId: bigint, contract: string, { token = contract, ...taken }: Taken) {
  if (!TRON.has(chainId)) return { ...taken, asset: erc20(String(chainId), token) };
  const asset: Asset = { namespace: 'tron', chain: ANY, standard: 'trc20', token: tron(token) };
  return { ...taken, from: tron(taken.from), recipient: tron(taken.recipient), asset };
}

/**
 * What typed data takes from the account that signs it. `account`: lower-case hex. A message counts whatever account it names as the
 * owner: that may be a contract that the key controls.
 */
export function typedDataTransfers(text: string, account: string, budget?: HashBudget): Reading {
  let data: TypedData;
  try {
    data = readTypedData(text, (why) => new Error(why), budget);
  } catch (error) {
    return unknownData(undefined, `typed data that cannot be read: ${(error as Error).message}`);
  }
  const { chainId, contract } = bindingOf(data.domain);
  const read = readerOf(data);
  const name = data.primaryType.slice(0, 140);
  if (read === undefined) return unknownData(chainId, `typed data ${name} is not known`);
  if (chainId === undefined || contract === undefined)
    return unknownData(chainId, `typed data ${name} names no ${chainId === undefined ? 'chain' : 'contract'}`);
  const taken = read(data.message, account);
  return withTwins(moved(...taken.map((each) => transferOf(chainId, contract, each))));
}
