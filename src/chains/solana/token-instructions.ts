import { viewOf } from '../../base/bytes.ts';
import { ANY, type Asset, moved, NOTHING, ONCE, type Reading, type Transfer, unread } from '../shared/transfers.ts';

const tokens = { namespace: 'solana', chain: ANY } as const;
const tokenAsset = (mint: string): Asset => ({ ...tokens, standard: 'token', token: mint });

/** An instruction as its program gets it. An account is undefined if it is of a lookup table. */
export type Called = {
  readonly accounts: readonly (string | undefined)[];
  readonly data: Uint8Array;
  readonly signer: string;
  /** The signer's account may be written to. */
  readonly writable: boolean;
};

/** `mint`, `to`: places of accounts. Without a mint the token is unknown; without `to` it is burned. `amount`: where its 8 bytes are. */
type Taking = { kind: 'transfer' | 'approval'; mint?: number; to?: number; authority: number; amount: number; length: number };

/** By the number of the instruction. */
const TAKING: ReadonlyMap<number, Taking> = new Map([
  [3, { kind: 'transfer', to: 1, authority: 2, amount: 1, length: 9 }],
  [4, { kind: 'approval', to: 1, authority: 2, amount: 1, length: 9 }],
  [8, { kind: 'transfer', mint: 1, authority: 2, amount: 1, length: 9 }],
  [12, { kind: 'transfer', mint: 1, to: 2, authority: 3, amount: 1, length: 10 }],
  [13, { kind: 'approval', mint: 1, to: 2, authority: 3, amount: 1, length: 10 }],
  [15, { kind: 'transfer', mint: 1, authority: 2, amount: 1, length: 10 }],
] satisfies [number, Taking][]);

/** TransferCheckedWithFee: the second byte of the transfer fee extension. */
const TRANSFER_FEE = 26;
const WITH_FEE: Taking = { kind: 'transfer', mint: 1, to: 2, authority: 3, amount: 2, length: 19 };

const CLOSE = 9;

/** Initialize, Revoke, MintTo, Freeze, Thaw, SyncNative, and questions about sizes and amounts: nothing leaves. */
const HARMLESS = new Set([0, 1, 2, 5, 7, 10, 11, 14, 16, 17, 18, 20, 21, 22, 23, 24]);

const takingOf = (data: Uint8Array): Taking | undefined =>
  data[0] === TRANSFER_FEE && data[1] === 1 ? WITH_FEE : TAKING.get(data[0] ?? -1);

function taken({ kind, mint: mintAt, to, amount }: Taking, { accounts, data, signer }: Called): Reading {
  const [source] = accounts;
  const recipient = to === undefined ? undefined : accounts[to];
  const mint = mintAt === undefined ? undefined : accounts[mintAt];
  if (to !== undefined && source !== undefined && source === recipient) return NOTHING;
  if (mint === undefined) {
    const why = `a token ${kind} names no mint: use ${kind === 'transfer' ? 'TransferChecked' : 'ApproveChecked'}`;
    return unread({ ...tokens, standard: 'token', cause: 'mint', why });
  }
  const transfer: Transfer = {
    asset: tokenAsset(mint),
    kind,
    from: signer,
    recipient,
    amount: viewOf(data).getBigUint64(amount, true),
    ...ONCE,
  };
  return moved(transfer);
}

/** What an instruction of a token program takes from its signer: the owner, a delegate, a signer of a multisig. */
export function tokenTransfers(called: Called): Reading {
  const { accounts, data, signer } = called;
  const taking = takingOf(data);
  if (taking !== undefined) {
    const signs = accounts.slice(taking.authority).includes(signer);
    // Data that is too short fails, and moves nothing.
    return signs && data.length >= taking.length ? taken(taking, called) : NOTHING;
  }
  const closesToSigner = data[0] === CLOSE && accounts[1] === signer;
  if (HARMLESS.has(data[0] ?? -1) || closesToSigner || !accounts.includes(signer)) return NOTHING;
  return unread({ ...tokens, cause: 'program', why: `instruction ${data[0]} of a token program is not read` });
}
