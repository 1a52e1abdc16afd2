import { isObject } from '../../base/json.ts';
import { type Type, typeName } from '../../policy/index.ts';

/** Describes how a case's value for a root differs from its type, with the path; undefined if it fits. */
export function misfit(value: unknown, type: Type, path: string): string | undefined {
  const wants = (what: string, hint = '') => `${path} must be ${what}${hint}`;
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean' ? undefined : wants('true or false');
    case 'int':
    case 'uint':
      return typeof value === 'bigint' ? undefined : wants('an integer');
    case 'string':
      if (typeof value === 'string') return undefined;
      return wants('a string', typeof value === 'bigint' ? ': put it in quotes' : '');
    case 'list':
      if (!Array.isArray(value)) return wants(`a list, ${typeName(type)}`);
      return first(value.entries(), ([i, item]) => misfit(item, type.of, `${path}[${i}]`));
    case 'map':
      if (!isObject(value)) return wants('a map');
      return first(Object.entries(value), ([key, item]) => misfit(item, type.of, `${path}.${key}`));
    case 'struct': {
      if (!isObject(value)) return wants(`a ${type.name}: fields with values`);
      return first(Object.entries(value), ([key, item]) => {
        const field = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
        if (field === undefined) return `${path} has no field ${key}; it has ${Object.keys(type.fields).join(', ')}`;
        return misfit(item, field, `${path}.${key}`);
      });
    }
    case 'timestamp':
      return wants('a timestamp, which a case cannot give');
    case 'dynamic':
      return undefined;
  }
}

function first<T>(all: Iterable<T>, check: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = check(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
