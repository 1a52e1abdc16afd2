import { type JsonSchema, type Path, put, shown, valueAt } from './fields.ts';

/** Parameters of which one member is wrong. */
export type Bad = { what: string; field: string; parameters: Record<string, unknown> };

type Wrong = [what: string, value: unknown];

const some = (has: unknown, what: string, value: unknown): Wrong[] => (has ? [[what, value]] : []);

/** Values that are wrong for a schema, each with what is wrong. */
function wrongValues(schema: JsonSchema, good: unknown): Wrong[] {
  const { type, minimum, exclusiveMinimum, maxItems, minItems, minLength, pattern } = schema;
  const formless = pattern === undefined ? undefined : ['!', '\u0001'].find((text) => !new RegExp(pattern, 'u').test(text));
  if (
    schema.enum ||
    schema.const !== undefined ||
    (schema.anyOf ?? schema.oneOf)?.every((one) => one.const !== undefined || one.enum)
  )
    return [
      ['no such value', 'NO_SUCH_VALUE'],
      ['a boolean', true],
      ['a list', []],
    ];
  const of: Record<string, () => Wrong[]> = {
    string: () => [
      ['a number', 7],
      ['a list', []],
      ['an object', {}],
      ...some(minLength, 'empty', ''),
      ...some(formless, 'not of its form', formless),
      ['too long', 'a'.repeat((schema.maxLength ?? 200_000) + 1)],
    ],
    boolean: () => [
      ['a text', 'true'],
      ['a number', 1],
    ],
    integer: () => [
      ['a text', '1'],
      ['a fraction', 1.5],
      ['too small', Math.max(exclusiveMinimum ?? (minimum ?? 0) - 1, Number.MIN_SAFE_INTEGER)],
    ],
    array: () => [
      ['an object', {}],
      ['a text', 'x'],
      ...some(minItems, 'empty', []),
      ['too many', Array((maxItems ?? 100_000) + 1).fill((good as unknown[])?.[0] ?? {})],
    ],
    object: () => [
      ['a text', 'x'],
      ['a list', []],
    ],
  };
  return of[type ?? '']?.() ?? [];
}

/** Every member missing, null, of another type, too long, too many, or of no allowed value: one at a time. */
export function badParameters(schema: JsonSchema, good: Record<string, unknown>): Bad[] {
  const found: Bad[] = [];
  const add = (what: string, path: Path, change: (copy: Record<string, unknown>) => boolean) => {
    const parameters = structuredClone(good);
    if (change(parameters)) found.push({ what, field: shown(path), parameters });
  };
  const walk = (at: JsonSchema, path: Path): void => {
    const value = valueAt(good, path);
    if (path.length > 0) for (const [what, wrong] of wrongValues(at, value)) add(what, path, (copy) => put(copy, path, wrong));
    for (const [name, member] of Object.entries(at.properties ?? {})) {
      const below = [...path, name];
      if (JSON.stringify(member) === '{"not":{}}') continue;
      // What an optional object that is not there would have to have is not known.
      if (path.length > 0 && value === undefined) continue;
      if (at.required?.includes(name)) {
        add('missing', below, (copy) => put(copy, below, undefined));
        add('null', below, (copy) => put(copy, below, null));
      }
      walk(member, below);
    }
    if (at.items && at.maxItems !== 0) walk(at.items, [...path, 0]);
  };
  walk(schema, []);
  return found;
}
