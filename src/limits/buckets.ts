import type { Clock } from '../base/clock.ts';
import { Lru } from '../base/lru.ts';

/** So many a second in the long run, and at most `burst` at once. */
export type Rate = { readonly perSecond: number; readonly burst: number };

type Bucket = { left: number; at: number };

/** `left`: whole ones. `waitMs`: 0 if one was taken, and otherwise when the next one is there. */
export type Taken = { left: number; waitMs: number };

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
        bucket = { left: burst, at: now };
        all.set(key, bucket);
      }
      bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
      bucket.at = now;
      if (bucket.left < 1) return { left: 0, waitMs: Math.max(1, Math.ceil(((1 - bucket.left) / perSecond) * 1000)) };
      bucket.left -= 1;
      return { left: Math.floor(bucket.left), waitMs: 0 };
    },
  };
}
