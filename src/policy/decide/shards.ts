/** An immutable map in parts. A change copies only the parts that it touches, so its cost does not grow with the map. */
export type Shards<V> = readonly ReadonlyMap<string, V>[];

/** Keys in one part, at most, on average. */
const PER_PART = 64;

/** By FNV-1a. `parts` is a power of two. */
function partOf(key: string, parts: number): number {
  if (parts === 1) return 0;
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) & (parts - 1);
}

export function lookUp<V>(shards: Shards<V>, key: string): V | undefined {
  return shards.length === 0 ? undefined : shards[partOf(key, shards.length)]!.get(key);
}

/** The map with changed keys; undefined removes one. */
export function amended<V>(shards: Shards<V>, changes: ReadonlyMap<string, V | undefined>): Shards<V> {
  const made = [...withRoom(shards, changes.size)];
  const copies = new Map<number, Map<string, V>>();
  for (const [key, value] of changes) {
    const at = partOf(key, made.length);
    let part = copies.get(at);
    if (part === undefined) {
      part = new Map(made[at]);
      copies.set(at, part);
      made[at] = part;
    }
    if (value === undefined) part.delete(key);
    else part.set(key, value);
  }
  return made;
}

/** The same map, in more parts if the new keys would crowd it. */
function withRoom<V>(shards: Shards<V>, more: number): Shards<V> {
  const keys = shards.reduce((sum, part) => sum + part.size, more);
  let parts = Math.max(1, shards.length);
  while (parts * PER_PART < keys) parts *= 2;
  if (parts === shards.length) return shards;
  const made = Array.from({ length: parts }, () => new Map<string, V>());
  for (const part of shards) for (const [key, value] of part) made[partOf(key, parts)]!.set(key, value);
  return made;
}
