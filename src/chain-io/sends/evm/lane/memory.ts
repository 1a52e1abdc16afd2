import type { Clock } from '../../../../base/clock.ts';

/** How soon after an event the chain is asked again, and how that grows while nothing happens. In milliseconds. */
const PACE = { first: 25, growth: 1.6, longest: 2_000 };

/**
 * The account's next nonce on the chain. `agreed`: a second endpoint says it too, if several answer. `doubt`: why nothing can be
 * signed now; the nonce is then the one that was believed last.
 */
export type Latest = { latest: number; agreed: number; doubt: string | undefined };

/** With transactions that are pending at the nodes. */
export type ChainNonces = Latest & { pending: number };

/** `fresh`: as they are now. */
export type Nonces = (fresh?: boolean) => Promise<ChainNonces>;

/**
 * A nonce that nothing explains. `since`: when an endpoint first said such a nonce. `begunAt`: when it first said this one. `at`:
 * when `block` was the latest.
 */
export type Leap = { nonce: number; block: bigint; since: number; begunAt: number; at: number };

/** The memory of an account between steps, for pace alone. A process without this memory does the same, later. */
export type Memory = {
  /** How long to wait before receipts are asked for again. */
  pace: number;
  /** Since when the chain has lacked a transaction before the first of ours, by elapsed time. */
  gapSince: number | undefined;
  /** The account's next nonce on the chain, as it was believed last. */
  latest: number;
  /** A nonce of an endpoint that nothing confirms, with the latest block at that time. Times are elapsed time. */
  leap: Leap | undefined;
  /** The last answer of `nonces`, and its time by elapsed time: of use while sends come one after the other. */
  nonces: { said: ChainNonces; at: number } | undefined;
  /** How many messages of the account had ever been signed when `nonces` was last asked because of them. */
  messagesTaken: number | undefined;
  /** Whether the leftovers of an earlier process were looked for. */
  hasSwept: boolean;
  /** When blocks were last compared, by elapsed time. */
  watchedAt: number;
  /** Sends that could not be looked at: for how long they rest, and until when by elapsed time. */
  troubles: Map<string, { rest: number; until: number }>;
};

export const newMemory = (): Memory => ({
  pace: PACE.first,
  gapSince: undefined,
  latest: 0,
  leap: undefined,
  nonces: undefined,
  messagesTaken: undefined,
  hasSwept: false,
  watchedAt: Number.NEGATIVE_INFINITY,
  troubles: new Map(),
});

/** Something happened: more may soon. */
export function quicken(memory: Memory): void {
  memory.pace = PACE.first;
}

/** Nothing happened. Returns how long to wait. */
export function slowed(memory: Memory): number {
  const { pace } = memory;
  memory.pace = Math.min(pace * PACE.growth, PACE.longest);
  return pace;
}

/** Remembers the accounts used last, at most `most`. */
export function memories(most: number): (name: string) => Memory {
  const all = new Map<string, Memory>();
  return (name) => {
    const found = all.get(name) ?? newMemory();
    all.delete(name);
    all.set(name, found);
    if (all.size > most) all.delete(all.keys().next().value!);
    return found;
  };
}

/** How old the chain's nonces may be while a burst is signed. No other party is expected to use the account. */
const NONCES_MS = 2_000;
/** The same for the following steps, while sends come one after the other. */
const NEXT_STEPS_MS = 500;

/** The account's nonces, as they were a moment ago. */
export function noncesOf(memory: Memory, elapsed: Clock, ask: () => Promise<ChainNonces>): Nonces {
  const asked = kept(elapsed, NONCES_MS, async () => {
    const at = elapsed.now();
    const said = await ask();
    memory.nonces = said.doubt === undefined ? { said, at } : undefined;
    return said;
  });
  return async (fresh = false) => {
    const { nonces } = memory;
    return !fresh && nonces !== undefined && elapsed.now() - nonces.at < NEXT_STEPS_MS ? nonces.said : asked(fresh);
  };
}

/** Updates the nonces with a newer answer of the chain. */
export function learn(memory: Memory, newer: Latest): void {
  const { nonces } = memory;
  if (nonces === undefined) return;
  const pending = Math.max(nonces.said.pending, newer.latest);
  memory.nonces = newer.doubt === undefined ? { ...nonces, said: { ...newer, pending } } : undefined;
}

/** A value that is asked for at most once in `ms` milliseconds, for all callers, unless it must be `fresh`. */
export function kept<T>(elapsed: Clock, ms: number, ask: () => Promise<T>): (fresh?: boolean) => Promise<T> {
  let at = Number.NEGATIVE_INFINITY;
  let value: Promise<T> | undefined;
  return (fresh = false) => {
    if (fresh || value === undefined || elapsed.now() - at > ms) {
      at = elapsed.now();
      const asked = ask();
      value = asked;
      asked.catch(() => {
        if (value === asked) value = undefined;
      });
    }
    return value;
  };
}
