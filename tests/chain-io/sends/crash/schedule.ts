import { seeded } from '../../../support/seeded.ts';
import { type Crash, FAIL_POINTS, type Kind, type Network, type Order, type Schedule } from './model.ts';

/** Which sends may be in a schedule. `points`: where the service may be killed, beside random moments. */
export type Able = { network: Network; kinds: readonly Kind[]; changes: boolean; points: readonly string[] };

export const ALL: Able = {
  network: 'evm',
  kinds: ['call', 'value', 'given', 'batch', 'sponsored', 'raw', 'reverts'],
  changes: true,
  points: FAIL_POINTS,
};

/**
 * Sends that are possible while blocks fall out. A batch and a sponsored send rest on a delegation, which another account may
 * have brought. If its block falls out, a later transaction may come first, and reverts.
 */
export const ableIn = (trouble: string | undefined, able: Able): Able =>
  trouble === 'reorganizing' ? { ...able, kinds: able.kinds.filter((kind) => kind !== 'batch' && kind !== 'sponsored') } : able;

/** No nonce is taken there. */
export const SOLANA: Able = {
  network: 'solana',
  kinds: ['solana'],
  changes: false,
  points: FAIL_POINTS.filter((point) => !/(?:allocate|look-again|replace)$/.test(point)),
};

/** Only a send that is changed, or pending for long, gets there. */
const isOfPending = (point: string): boolean => /(?:look-again|replace)$/.test(point);

type Next = (n: number) => number;

const CRASHES = [1, 1, 2, 3];
const NTH = [1, 1, 1, 2, 3];
const ACCOUNTS = 3;

const pick = <T>(next: Next, of: readonly T[]): T => of[next(of.length)]!;

/** Each fail-point has its turn among the seeds, and a random moment after each round. */
function crashesOf(seed: number, next: Next, points: readonly string[]): Crash[] {
  const random = (): Crash => ({ events: 2 + next(60), turns: next(60) });
  const turn = seed % (points.length + 2);
  const nthOf = (point: string) => (isOfPending(point) ? 1 : pick(next, NTH));
  const at = (point: string): Crash => ({ point, nth: nthOf(point) });
  const first = turn < points.length ? at(points[turn]!) : random();
  const more = Array.from({ length: pick(next, CRASHES) - 1 }, () => (next(4) === 0 ? random() : at(pick(next, points))));
  return [first, ...more];
}

/** Of several sends with given nonces, a later one may come first. */
function shuffled<T>(next: Next, items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(next(left.length), 1)[0]!);
}

/** The schedule of a seed: always the same one. */
export function scheduleOf(seed: number, able: Able = ALL): Schedule {
  const next = seeded(seed * 7919 + 17);
  const crashes = crashesOf(seed, next, able.points);
  const replaced = crashes.some((crash) => 'point' in crash && isOfPending(crash.point));
  const blocks = replaced || next(2) === 0;
  const free = able.kinds.filter((kind) => kind !== 'given' && kind !== 'raw');
  const nonces = new Map<number, number>();
  const orders: Order[] = [];
  for (let wave = 0; wave <= crashes.length; wave++) {
    const size = 2 + next(4);
    const made = Array.from({ length: size }, (): Order => {
      // Of the accounts after those of plain sends, one’s caller gives every nonce, and one’s key is the caller’s own.
      const own = pick(next, able.kinds);
      const kind = own === 'given' || own === 'raw' ? own : pick(next, free);
      const account = kind === 'given' ? ACCOUNTS - 1 : kind === 'raw' ? ACCOUNTS : next(ACCOUNTS - 1);
      const order: Order = { number: 0, wave, kind, account, lost: next(6) === 0 };
      if (kind === 'given' || kind === 'raw') {
        order.nonce = nonces.get(account) ?? 0;
        order.lost = false;
        nonces.set(account, order.nonce + 1);
      }
      // An account whose nonces are given has no other way to fill one that a cancelled send leaves.
      else if (able.changes && blocks && next(replaced ? 2 : 5) === 0) order.change = next(2) === 0 ? 'cancel' : 'speed-up';
      return order;
    });
    for (const order of shuffled(next, made)) orders.push({ ...order, number: orders.length });
  }
  return { seed, network: able.network, accounts: ACCOUNTS, blocks, minedMeanwhile: next(2) === 0, crashes, orders };
}
