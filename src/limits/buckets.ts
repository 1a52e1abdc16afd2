import type { Clock } from '../base/clock.ts';
import { Lru } from '../base/lru.ts';

/** So many a second in the long run, and at most `burst` at once. */
export type Rate = { readonly perSecond: number; readonly burst: number };

type Bucket = { left: number; at: number; refused: boolean };

/** `left`: whole ones. `waitMs`: 0 if one was taken, and otherwise when the next one is there. `again`: none was there the last time either. */
export type Taken = { left: number; waitMs: number; again: boolean };

export type Buckets = {
  /** Takes one from the bucket of `key`, which is full when it is first asked for. */
  take(key: string): Taken;
};

/**
 * Buckets that many keep at once in one process. The one that was asked for longest ago is dropped, and is full if it is asked for again:
 * whoever has that many keys has as many buckets.
 */
const KEPT = 65_536;

/** Token buckets in memory. `elapsed`: time that no clock changes. */
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
