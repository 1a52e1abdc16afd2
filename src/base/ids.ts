import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** Makes ids. Ids of one process sort by the order in which they were made. */
export type Ids = { next(): string };

const POOL = 4096;

/**
 * UUIDv7 (RFC 9562 §5.7): 48 bits of milliseconds, a 12-bit counter that keeps the order inside
 * one millisecond (method 1 of §6.2), and 62 random bits. Random bytes are drawn in blocks. After a reset of the clock, ids go by the
 * new time.
 */
export function uuidV7(clock: Clock & { readonly resets?: number }, random: Random): Ids {
  let last = 0;
  let resets = clock.resets;
  let counter = 0;
  let pool: Buffer = Buffer.alloc(0);
  let at = 0;
  return {
    next() {
      const now = clock.now();
      if (now > last || clock.resets !== resets) {
        last = now;
        counter = 0;
        resets = clock.resets;
      } else if (++counter > 0xfff) {
        last += 1;
        counter = 0;
      }
      if (at + 8 > pool.length) {
        pool = random(POOL);
        at = 0;
      }
      const tail = pool.toString('hex', at, at + 8);
      at += 8;
      const time = last.toString(16).padStart(12, '0');
      const variant = (8 + (parseInt(tail[0]!, 16) & 3)).toString(16);
      return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`;
    },
  };
}

/** A UUID of any version, in either case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
