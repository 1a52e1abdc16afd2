/** The work beside signatures, window by window. */
import { setTimeout as sleep } from 'node:timers/promises';
import { submit } from '../prepare.ts';
import { readCredentials } from '../stamp.ts';
import { bodyOf } from '../workloads.ts';
import { type Chain, signedTransfers } from './chain.ts';
import type { Service } from './service.ts';
import { GIVEN, RECIPIENT } from './workloads.ts';

const TICK_MS = 20;
/** More than are sent in a window beside signatures. */
export const BURST = 300;
/** On a busy machine it takes longer than it should. */
const SPARE = 2;

/** Something beside the signatures. */
export type Kind = {
  name: string;
  /** Whose transactions they are. */
  account?: string;
  /** Begins it, and resolves with what ends it. */
  begin(): Promise<() => Promise<unknown>>;
  /** Whether it ended by itself before the window did. */
  isOver?(): Promise<boolean>;
  /** When no window follows. */
  finish?(): Promise<unknown>;
};
export type At = { service: Service; chain: Chain };

export const NOTHING: Kind = { name: 'nothing', begin: async () => async () => {} };

/** Does something this number of times a second until it is ended. */
function steadily(perSecond: number, some: (count: number) => Promise<unknown>): () => Promise<unknown> {
  const began = performance.now();
  let over = false;
  const going = (async () => {
    for (let done = 0; !over; await sleep(TICK_MS)) {
      const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
      if (due > done) await some(due - done);
      done = Math.max(done, due);
    }
  })();
  // The caller gets a failure when it ends this.
  going.catch(() => {});
  return () => {
    over = true;
    return going;
  };
}

/** Transactions of another account, enough for this number of seconds. */
export async function given(name: string, { chain }: At, perSecond: number, seconds: number): Promise<Kind> {
  const { address, transactions } = await signedTransfers(RECIPIENT, Math.ceil(perSecond * seconds * SPARE));
  await chain.fund(address);
  let next = 0;
  const some = (count: number): Promise<void> => {
    const now = transactions.slice(next, next + count);
    next += now.length;
    return chain.send(now);
  };
  return {
    name,
    account: address,
    begin: async () => steadily(perSecond, some),
    finish: () => chain.untilNonce(address, next),
  };
}

async function sender({ service, chain }: At) {
  const account = await service.newSender();
  const root = readCredentials(service.credentialsFile);
  let next = 0;
  return {
    account,
    send: (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => {
          const body = bodyOf(GIVEN, root.organizationId, account, next++, Date.now());
          return submit(service.port, root, GIVEN.path, body);
        }),
      ),
    landed: () => chain.untilNonce(account, next),
    haveLanded: async () => (await chain.nonce(account)) >= next,
  };
}

export async function sends(name: string, place: At, perSecond: number): Promise<Kind> {
  const { account, send, landed } = await sender(place);
  return { name, account, begin: async () => steadily(perSecond, send), finish: landed };
}

/** Sends accepted before the window are processed in it, and the rest after it. */
export async function burst(name: string, place: At): Promise<Kind> {
  const { account, send, landed, haveLanded } = await sender(place);
  const begin = async () => {
    await send(BURST);
    return landed;
  };
  return { name, account, begin, isOver: haveLanded };
}
