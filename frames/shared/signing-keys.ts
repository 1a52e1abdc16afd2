import { zero } from '../../src/base/bytes.ts';
import { FrameError } from './frame-error.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;
const MOST = 100;
const DEFAULT = 'default';

/** `secret`: 32 bytes. `format`: as the app named it, HEXADECIMAL or SOLANA. */
export type SigningKey = { secret: Uint8Array; format: unknown };

/** The keys of the sign page: in memory, each under an address or as the default, for a day. */
export function signingKeys(now: () => number) {
  const held = new Map<string, SigningKey & { expiresMs: number }>();
  const drop = (slot: string) => {
    const found = held.get(slot);
    if (found !== undefined) zero(found.secret);
    held.delete(slot);
  };
  const expire = () => {
    for (const [slot, { expiresMs }] of held) if (expiresMs <= now()) drop(slot);
  };
  return {
    /** Keeps a copy. */
    add(address: string | undefined, secret: Uint8Array, format: unknown): void {
      expire();
      const slot = address ?? DEFAULT;
      if (!held.has(slot) && held.size >= MOST) throw new FrameError(`the page holds ${MOST} keys already`);
      drop(slot);
      held.set(slot, { secret: secret.slice(), format, expiresMs: now() + LIFETIME_MS });
    },
    find(address: string | undefined): SigningKey {
      expire();
      const found = held.get(address ?? DEFAULT);
      if (found === undefined) throw new FrameError('the page has no key for this address: inject its bundle first');
      return found;
    },
    /** Without an address: the default one, or all. */
    clear(address: string | undefined, all = false): void {
      for (const slot of all ? [...held.keys()] : [address ?? DEFAULT]) drop(slot);
    },
  };
}
