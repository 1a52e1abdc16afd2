import type { Clock } from '../base/clock.ts';
import { Lru } from '../base/lru.ts';

/** The long-term rate per second, and the maximum burst. */
export type Rate = { readonly perSecond: number; readonly burst: number };

type Bucket = { left: number; at: number; refused: boolean };

/**
 * - `left`: how many whole tokens are left.
 * - `waitMs`: 0 if a token was taken. Otherwise the time until the next one.
 * - `again`: the previous attempt was refused too.
 */
export type Taken = { left: number; waitMs: number; again: boolean };

export type Buckets = {
  /** Takes a token from the bucket of `key`. A new bucket is full. */
  take(key: string): Taken;
};

/**
 * Maximum number of buckets in one process. The least recently used bucket is dropped, and is full again at its next use. A caller
 * needs that many keys to profit from this, and has that many buckets anyway.
 */
const KEPT = 65_536;

/** Token buckets in memory. `elapsed`: a time that is independent of clock changes. */
export function buckets({ perSecond, burst }: Rate, elapsed: Clock, kept = KEPT): Buckets {
  const all = new Lru<Bucket>(kept);
  return {
    take(key) {
      const now = elapsed.now();
      let bucket = all.get(key);
      if (bucket === undefined) {
        bucket = { left: burst, at: now, refused: false };
        all.set(key, bucket);
      }
      bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
      bucket.at = now;
      const again = bucket.refused;
      bucket.refused = bucket.left < 1;
      if (bucket.refused) return { left: 0, waitMs: Math.max(1, Math.ceil(((1 - bucket.left) / perSecond) * 1000)), again };
      bucket.left -= 1;
      return { left: Math.floor(bucket.left), waitMs: 0, again: false };
    },
  };
}
