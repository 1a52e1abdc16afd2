import type { Clock } from './clock.ts';
import type { Random } from './random.ts';
import { UUID_TEXT } from './uuid.ts';

/** Makes ids. The ids of one process sort in the order of creation. */
export type Ids = { next(): string };

const POOL = 4096;

/** Number of random hex digits in an id: 16. The first one contributes two bits to the variant's digit. */
const DIGITS = 16;

/** The variant's digit for each value of the first random digit. */
const VARIANTS = new Map(Array.from('0123456789abcdef', (digit, i) => [digit, '89ab'[i & 3]!]));

const COUNTERS = Array.from({ length: 0x1000 }, (_, i) => i.toString(16).padStart(3, '0'));

/** The beginning of an id: 48 bits of milliseconds, and the version. */
function beginning(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7`;
}

/**
 * UUIDv7 (RFC 9562 §5.7) in three parts:
 * - 48 bits of milliseconds
 * - a 12-bit counter that keeps the order inside one millisecond (method 1 of §6.2)
 * - 62 random bits
 * Random bytes are drawn in blocks. After the clock is reset, ids follow the new time.
 */
export function uuidV7(clock: Clock & { readonly resets?: number }, random: Random): Ids {
  let last = 0;
  let resets = clock.resets;
  let counter = 0;
  let begun = beginning(last);
  let pool = '';
  let at = 0;
  return {
    next() {
      const now = clock.now();
      const isReset = clock.resets !== resets;
      if (now > last || isReset || ++counter > 0xfff) {
        last = isReset ? now : Math.max(now, last + 1);
        resets = clock.resets;
        counter = 0;
        begun = beginning(last);
      }
      if (at === pool.length) {
        pool = random(POOL).toString('hex');
        at = 0;
      }
      const start = at;
      at += DIGITS;
      return `${begun}${COUNTERS[counter]!}-${VARIANTS.get(pool[start]!)!}${pool.slice(start + 1, start + 4)}-${pool.slice(start + 4, at)}`;
    },
  };
}

/** A UUIDv7 that is derived from a time and a digest in hex. The digest supplies the 62 bits of randomness and the 12 bits before them. */
export function uuidOf(ms: number, digest: string): string {
  const variant = VARIANTS.get(digest[3]!)!;
  return `${beginning(Math.min(ms, 2 ** 48 - 1))}${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
}

/** The time in a UUIDv7, in milliseconds. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** A UUID of any version, in either case. */
export const UUID = new RegExp(`^${UUID_TEXT}$`, 'i');
