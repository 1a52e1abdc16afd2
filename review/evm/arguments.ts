import type { Value } from '../../src/policy/index.ts';
import type { Argument } from '../types.ts';
import { visible } from '../visible.ts';
import type { Input } from './functions.ts';

/** How a chain writes an account. `hex`: 0x and 40 lower-case digits. */
export type Addresses = (hex: string) => string;

function shown(type: string, value: Value, address: Addresses): string {
  if (type === 'address') return address(String(value));
  return typeof value === 'string' ? visible(value) : String(value);
}

/** The values of an argument, each with its path. */
export function argumentsOf({ name, type, components }: Input, value: Value, address: Addresses): Argument[] {
  const array = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (array !== undefined) {
    const items = value as readonly Value[];
    if (items.length === 0) return [{ name: visible(name), type, value: '(empty)' }];
    return items.flatMap((item, i) =>
      argumentsOf({ name: `${name}[${i}]`, type: array, ...(components && { components }) }, item, address),
    );
  }
  if (components !== undefined)
    return components.flatMap((member, i) =>
      argumentsOf({ ...member, name: `${name}.${member.name || i}` }, (value as readonly Value[])[i]!, address),
    );
  return [{ name: visible(name), type, value: shown(type, value, address) }];
}
