import type { Clock } from '../../base/clock.ts';
import type { Trouble } from './types.ts';

/** The state of an endpoint. Times are of the elapsed clock. */
export type Health = {
  /** Failures without a success between. */
  failures: number;
  trouble: Trouble | undefined;
  restsUntil: number;
  head: { number: bigint; at: number } | undefined;
  /** When the log last had its trouble, and whether the log must still say that it ended. */
  told: { at: number; isOpen: boolean } | undefined;
};

const SHORTEST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;
/** An endpoint of another network is asked again after this time: its operator may have fixed it. */
const WRONG_CHAIN_REST_MS = 300_000;

/** How far behind is too far: in blocks, or behind the block that another endpoint had this long ago. */
const LAG_BLOCKS = 50n;
const LAG_MS = 15_000;

export const unknownHealth = (): Health => ({
  failures: 0,
  trouble: undefined,
  restsUntil: 0,
  head: undefined,
  told: undefined,
});

export function worked(health: Health): void {
  health.failures = 0;
  health.trouble = undefined;
  health.restsUntil = 0;
}

/** Rests longer with each failure in a row, or as long as the endpoint asked. */
export function failed(health: Health, trouble: Trouble, askedMs: number | undefined, now: number): void {
  // Many requests that fail together are one failure.
  if (now >= health.restsUntil) health.failures++;
  health.trouble = trouble;
  const grown = Math.min(SHORTEST_REST_MS * 2 ** Math.min(Math.max(health.failures - 1, 0), 16), LONGEST_REST_MS);
  health.restsUntil = now + (trouble === 'wrong chain' ? WRONG_CHAIN_REST_MS : (askedMs ?? grown));
}

/** The greatest block number of any endpoint, and the one that was known some time ago. */
export type Heads = { note(health: Health, number: bigint): void; lags(health: Health): boolean };

export function headsOf(elapsed: Clock): Heads {
  /** When the best head became known: the last LAG_MS, and one before. */
  const best: { number: bigint; at: number }[] = [];
  return {
    note(health, number) {
      const at = elapsed.now();
      health.head = { number, at };
      if (number > (best.at(-1)?.number ?? -1n)) best.push({ number, at });
      while (best.length > 1 && best[1]!.at <= at - LAG_MS) best.shift();
    },
    lags({ head }) {
      const last = best.at(-1);
      if (head === undefined || last === undefined) return false;
      if (last.number - head.number > LAG_BLOCKS) return true;
      return best.some(({ number, at }) => at <= head.at - LAG_MS && number > head.number);
    },
  };
}

/** An endpoint that must not be asked now, because it wants fewer requests or is of another network. */
export const isBarred = ({ trouble, restsUntil }: Health, now: number): boolean =>
  restsUntil > now && (trouble === 'rate limited' || trouble === 'wrong chain');

/** Lower is better: ready, lagging, resting after failures. */
export function rank(health: Health, heads: Heads, now: number): number {
  if (health.restsUntil > now) return 2;
  return heads.lags(health) ? 1 : 0;
}
