import type { EvmIntent, Send, SendAccount } from '../../../../../model/send.ts';
import { plainFailure, type SendError } from '../../../error.ts';
import type { Rows } from '../parts.ts';
import type { BelievedNonces } from './believed.ts';

/** The most transactions of one account that are broadcast and not mined: pools of nodes hold few. */
export const MOST_OUT = 1_024;
/** The most nonces that callers gave in advance and that are passed over. */
const MOST_AHEAD = 500;
/** A chain may know fewer of our transactions than we do. While nothing of ours is pending, it may lag for this duration. */
const LAG_MS = 60_000;

/** Assigns the nonces of a batch. Nothing is stored. */
export type Assignment = {
  /** The given nonce, or the next that is free. `isLanded`: the transaction is in a block already, and has its nonce from there. */
  take(
    send: { intent: Pick<EvmIntent, 'nonce' | 'form'> },
    uses: number,
    isLanded?: boolean,
  ): { nonce: number } | { error: SendError };
  next(): number;
  /** The nonces taken last are not used: the next free one is `next` again. */
  back(next: number): void;
  /** No more are signed for now: too many are pending, or one is pending that no other may follow. */
  isFull(): boolean;
};

/** The most nonces before the first of ours that are filled, at the account’s cost. */
const MOST_GAP = 256;

/** Whether a send waits behind a gap that is never filled. An endpoint said its nonce, and was believed. */
export const isBeyondGap = (next: number, { nonce }: Pick<Send, 'nonce'>): boolean => nonce! - next > MOST_GAP;

/** The first of ours that is broadcast, or will be. */
async function firstOut({ read, key }: Rows): Promise<Send | undefined> {
  const all: Send[] = [];
  for (const state of ['signed', 'sent'] as const) all.push(...(await read.sendsOfAccount.byNonce(key, state, { limit: 1 })));
  return all.toSorted((a, b) => a.nonce! - b.nonce!)[0];
}

/** The first nonce that is free by the stored rows. `used`: the next one by the chain. */
async function storedNext(rows: Rows, { nextNonce }: SendAccount, used: number): Promise<number> {
  if (nextNonce === null) return 0;
  const { read, key, clock } = rows;
  const first = await firstOut(rows);
  if (first !== undefined && !isBeyondGap(used, first)) return nextNonce;
  const [included] = await read.sendsOfAccount.lastByNonce(key, 'included', 1);
  const [final] = await read.sendsOfAccount.lastByNonce(key, 'final', 1);
  if (first !== undefined) {
    // Others go before the sends that wait far away.
    const landed = Math.max(included?.nonce ?? -1, final?.nonce ?? -1) + 1;
    return isBeyondGap(landed, first) ? landed : nextNonce;
  }
  const last = Math.max(included?.updatedAt ?? 0, final?.updatedAt ?? 0);
  if (clock.now() - last < LAG_MS) return nextNonce;
  // Nothing of ours is pending, so the chain is right. A transaction of another party may have been counted, and then reorganized
  // away.
  return included === undefined ? 0 : included.nonce! + 1;
}

/**
 * Whether a pending transaction uses two nonces, the second for its own account's authorization. Pools know nothing of the second.
 * A transaction with the nonce after it would wait there for one that never comes.
 */
async function isPairOut({ read, key }: Rows, { nextNonce }: SendAccount, used: number): Promise<boolean> {
  if (nextNonce === null || nextNonce - 2 < used) return false;
  const out = new Set<number | null>();
  for (const state of ['signed', 'sent'] as const)
    for (const { nonce } of await read.sendsOfAccount.byNonce(key, state, { from: nextNonce - 2, limit: 2 })) out.add(nonce);
  return out.has(nextNonce - 2) && !out.has(nextNonce - 1);
}

/** Assigns nonces after those that were taken, by us or by any other holder of the key. */
export async function assignNonces(
  rows: Rows,
  row: SendAccount,
  { latest: used, pending }: Pick<BelievedNonces, 'latest' | 'pending'>,
): Promise<Assignment> {
  const { key, read } = rows;
  const stored = await storedNext(rows, row, used);
  let next = Math.max(used, pending, stored);
  let isPair = await isPairOut(rows, row, used);
  const ahead = new Set<number>();
  for (const state of ['signed', 'sent'] as const)
    for (const { nonce } of await read.sendsOfAccount.byNonce(key, state, { from: next, limit: MOST_AHEAD })) ahead.add(nonce!);

  /** Passes over nonces that were given in advance. */
  function free(uses: number): number {
    for (let at = next; ; at++) {
      const wanted = Array.from({ length: uses }, (_, i) => at + i);
      if (!wanted.some((one) => ahead.has(one))) return at;
    }
  }

  return {
    take({ intent }, uses, isLanded = false) {
      // For a sponsored send, it is the nonce of the account that authorizes.
      if (intent.nonce === null || intent.form === 'sponsored') {
        const nonce = free(uses);
        next = nonce + uses;
        isPair = uses > 1;
        return { nonce };
      }
      const nonce = Number(intent.nonce);
      if (nonce < used && !isLanded)
        return { error: plainFailure(`nonce too low: ${nonce} was given, and the next one of ${key.account} is ${used}`) };
      isPair = uses > 1;
      for (let i = 0; i < uses; i++) ahead.add(nonce + i);
      if (nonce === next) next = nonce + uses;
      return { nonce };
    },
    next: () => next,
    back(before) {
      next = before;
      isPair = false;
    },
    isFull: () => isPair || next - used >= MOST_OUT,
  };
}
