import { BACKGROUND_MS } from '../../base/background.ts';
import type { Log } from '../../engine/ports.ts';
import { type AccountKey, NEVER } from '../../model/send.ts';
import type { Store } from '../../store/types.ts';
import { type Claimed, LostAccount } from '../sends/lane.ts';

/** How long a process may hold an account without a sign of life. After that another takes it over. */
export const LEASE_MS = 10_000;

/** An account that this process holds. */
export type Held = {
  readonly key: AccountKey;
  /** Unique to this hold. A step from before a loss holds nothing, even if the same process has the account again. */
  readonly owner: string;
  readonly claimed: Claimed;
  readonly since: number;
  /** When its last step began. */
  steppedAt: number;
  isRunning: boolean;
  isWoken: boolean;
  timer: NodeJS.Timeout | undefined;
  /** When it steps next, while it is kept and does not run. */
  dueAt: number;
  /** The last step threw. */
  hasFailed: boolean;
  end(): void;
};

type Parts = { store: Store; clock: { now(): number } };

type Taken = Pick<Claimed, 'kind' | 'copiedAt'> & { key: AccountKey; owner: string };

export function hold({ store, clock }: Parts, { kind, key, owner, copiedAt }: Taken): Held {
  const control = new AbortController();
  const held: Held = {
    key,
    owner,
    since: clock.now(),
    steppedAt: 0,
    isRunning: false,
    isWoken: false,
    timer: undefined,
    dueAt: 0,
    hasFailed: false,
    end: () => control.abort(),
    claimed: {
      ...key,
      kind,
      copiedAt,
      signal: control.signal,
      transaction: (work, patienceMs = BACKGROUND_MS) =>
        store.transaction(async (tx) => {
          if (!(await tx.sendAccounts.hold(key, owner, clock.now() + LEASE_MS))) throw new LostAccount(`${key.account} is lost`);
          return work(tx, (await tx.sendAccounts.get(key))!);
        }, patienceMs),
    },
  };
  return held;
}

/** Renews the leases of all. Returns those that another process has taken. */
export async function renew({ store, clock }: Parts, all: readonly Held[]): Promise<Held[]> {
  return store.transaction(async (tx) => {
    const lost: Held[] = [];
    for (const held of all) if (!(await tx.sendAccounts.hold(held.key, held.owner, clock.now() + LEASE_MS))) lost.push(held);
    return lost;
  }, BACKGROUND_MS);
}

/** Gives accounts back: due in `ms` milliseconds, or when a request wakes them. */
export async function release({ store, clock }: Parts, all: readonly Held[], ms: number | undefined): Promise<void> {
  const at = ms === undefined ? NEVER : clock.now() + Math.ceil(ms);
  await store.transaction(async (tx) => {
    for (const { key, owner } of all) await tx.sendAccounts.release(key, owner, at);
  }, BACKGROUND_MS);
}

/** Gives all back when the service stops. If that fails, their leases expire. */
export async function leave(parts: Parts & { log: Log }, all: readonly Held[]): Promise<void> {
  if (all.length === 0) return;
  await release(parts, all, 0).catch((error) => parts.log.warn({ error }, 'accounts could not be released; their leases expire'));
}

/** Takes accounts that are due. Accounts that another process took meanwhile are left out. */
export async function claim({ store, clock }: Parts, found: readonly AccountKey[], owner: string): Promise<AccountKey[]> {
  const now = clock.now();
  return store.transaction(async (tx) => {
    const taken: AccountKey[] = [];
    for (const key of found.toSorted((a, b) => (a.caip2 + a.account < b.caip2 + b.account ? -1 : 1)))
      if (await tx.sendAccounts.claim(key, owner, now, now + LEASE_MS)) taken.push(key);
    return taken;
  });
}
