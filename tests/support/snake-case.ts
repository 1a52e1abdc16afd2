/** Members whose own members are keys of a free map. */
const FREE: ReadonlySet<string> = new Set(['oauthClientIds']);

/**
 * A body as a client that writes snake_case sends it. Made without the schemas, so that it can hold them to the rule. `free`: a further
 * member that is a free map.
 */
export function inSnakeCase(value: unknown, free?: string): unknown {
  if (Array.isArray(value)) return value.map((element) => inSnakeCase(element, free));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      [...name].map((c) => (c >= 'A' && c <= 'Z' ? `_${c.toLowerCase()}` : c)).join(''),
      FREE.has(name) || name === free ? member : inSnakeCase(member, free),
    ]),
  );
}
