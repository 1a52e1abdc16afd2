import { Lru } from '../../../../base/lru.ts';
import type { Failing } from './backoff.ts';
import { type Belief, noBelief } from './nonces/believed.ts';
import type { Gap } from './nonces/gaps.ts';
import { type LastNonces, noLastNonces } from './nonces/recent.ts';
import { type Polling, polling } from './polling.ts';
import type { Doubts } from './receipts/agreed.ts';

/**
 * What a process remembers of an account between steps. All of it is about pace: a process without it does the same, later. Each
 * part belongs to one file, which alone changes it.
 */
export type Memory = {
  readonly polling: Polling;
  readonly belief: Belief;
  readonly lastNonces: LastNonces;
  readonly gap: Gap;
  readonly failing: Failing;
  readonly doubted: Doubts['doubted'];
  /** What this process did once for the account, and when it last compared blocks, by elapsed time. */
  hasResent: boolean;
  comparedAt: number;
};

/** Sends of one account on whose end endpoints differ. */
const MOST_DOUBTED = 1_000;

const newMemory = (): Memory => ({
  polling: polling(),
  belief: noBelief(),
  lastNonces: noLastNonces(),
  gap: { since: undefined },
  failing: new Map(),
  doubted: new Lru(MOST_DOUBTED),
  hasResent: false,
  comparedAt: Number.NEGATIVE_INFINITY,
});

/** Remembers the accounts used last, at most `most`. */
export function memories(most: number): (name: string) => Memory {
  const all = new Lru<Memory>(most);
  return (name) => {
    const memory = all.get(name) ?? newMemory();
    all.set(name, memory);
    return memory;
  };
}
