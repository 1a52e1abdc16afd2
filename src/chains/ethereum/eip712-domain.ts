import { isObject } from '../../base/json.ts';
import { type ExactJson, member, parsePayloadObject } from './json.ts';

/** How a digest of typed data covers its domain. `leftOut`: members of the domain that it does not cover. */
export type DomainCover = { isEmpty: boolean; leftOut: readonly string[] };

const unreadable = (why: string) => new Error(why);

/** Undefined if the text is no typed data. If `types` does not declare the domain, it is hashed with all its members. */
export function domainCover(text: string): DomainCover | undefined {
  let types: ExactJson | undefined;
  let domain: ExactJson | undefined;
  try {
    const data = parsePayloadObject(text, 'domain, types, primaryType, message', unreadable);
    [types, domain] = [member(data, 'types'), member(data, 'domain')];
  } catch {
    return undefined;
  }
  if (!isObject(types) || !isObject(domain)) return undefined;
  const given = Object.entries(domain).flatMap(([name, value]) => (value === null ? [] : [name]));
  const declared = member(types, 'EIP712Domain');
  if (!Array.isArray(declared)) return { isEmpty: given.length === 0, leftOut: [] };
  const covered = new Set(declared.map((field) => (isObject(field) ? member(field, 'name') : undefined)));
  return { isEmpty: covered.size === 0, leftOut: given.filter((name) => !covered.has(name)) };
}
