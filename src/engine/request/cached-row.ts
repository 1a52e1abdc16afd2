/** The memory that V8 uses for an object, a member, a text and a buffer, besides their content. Rounded up. */
const OBJECT = 64;
const MEMBER = 24;
const TEXT = 24;
const BUFFER = 256;

/** A row in memory of its own, and an upper bound of its bytes. */
export type CachedRow<T = unknown> = { value: T; bytes: number };

export const bytesOfText = (text: string): number => TEXT + 2 * text.length;

/**
 * Copies a row for keeping. Small buffers may be slices of large ones, which would otherwise stay in memory with them. The copy
 * is frozen, except for its buffers, because several requests share it.
 */
export function cachedRow<T>(row: T): CachedRow<T> {
  return copy(row) as CachedRow<T>;
}

function copy(value: unknown): CachedRow {
  if (typeof value === 'string') return { value, bytes: bytesOfText(value) };
  if (typeof value !== 'object' || value === null) return { value, bytes: 0 };
  if (value instanceof Uint8Array) {
    const own = Buffer.allocUnsafeSlow(value.byteLength);
    own.set(value);
    return { value: own, bytes: BUFFER + own.byteLength };
  }
  const members = Object.entries(value).map(([name, member]) => [name, copy(member)] as const);
  const bytes = members.reduce((sum, [, member]) => sum + MEMBER + member.bytes, OBJECT);
  const values = members.map(([name, member]) => [name, member.value] as const);
  const own = Array.isArray(value) ? values.map(([, member]) => member) : Object.fromEntries(values);
  return { value: Object.freeze(own), bytes };
}
