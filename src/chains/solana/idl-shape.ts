import { isObject } from '../../base/json.ts';

/** An IDL's fault and its place: `instructions[2].args[0].type: …`. Never leaves idl.ts. */
export class IdlError extends Error {}

export type IdlObject = { readonly [key: string]: unknown };

const LONGEST_NAME = 128;

export function objectAt(value: unknown, at: string): IdlObject {
  if (!isObject(value)) throw new IdlError(`${at}: must be an object`);
  return value;
}

/** An own member, or undefined. */
export function memberOf(object: IdlObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function listAt(object: IdlObject, name: string, at: string): readonly unknown[] {
  const value = memberOf(object, name);
  if (!Array.isArray(value)) throw new IdlError(`${at === '' ? '' : `${at}.`}${name}: must be a list`);
  return value;
}

export function nameAt(object: IdlObject, at: string): string {
  const name = memberOf(object, 'name');
  if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME || !name.isWellFormed()) {
    throw new IdlError(`${at}.name: must be a text of 1 to ${LONGEST_NAME} characters`);
  }
  return name;
}

/** `names`: the names of the list at `at`, in its order. */
export function distinct(names: readonly string[], at: string): void {
  const seen = new Set<string>();
  names.forEach((name, i) => {
    if (seen.has(name)) throw new IdlError(`${at}[${i}]: the name ${quote(name)} occurs twice`);
    seen.add(name);
  });
}

export const quote = (text: string): string => JSON.stringify(text.slice(0, 40));
