import { fieldsOf } from './parts.ts';
import type { Review } from './types.ts';

/** The request as the service's policies see it, from `review_activity`. `value`: JSON in a text. */
export type ServiceElement = { readonly roots: readonly { readonly root: string; readonly value?: string }[] };

const MOST = 20;

/** Interfaces of the service decode these, so they differ from a reading without them. */
const BY_INTERFACES = /\.(?:function_name|contract_call_args|parsed_instruction_data)(?:$|[.[])/;

function valuesOf({ roots }: ServiceElement): Map<string, string> {
  const found = new Map<string, string>();
  for (const { root, value } of roots)
    if (value !== undefined) for (const { path, value: shown } of fieldsOf(JSON.parse(value), root)) found.set(path, shown);
  return found;
}

/** What the service says that policies see, otherwise than it was read from the signed body. In words; empty if all is the same. */
export function compareWithElements(review: Review, said: readonly ServiceElement[]): string[] {
  const found: string[] = [];
  for (const [i, fields] of review.elements.entries()) {
    const element = said[i];
    // The service shows a hundred elements.
    if (element === undefined) continue;
    let values: ReadonlyMap<string, string>;
    try {
      values = valuesOf(element);
    } catch {
      return ['the service shows policies something that is no JSON'];
    }
    for (const { path, value } of fields) {
      const other = values.get(path);
      if (other === undefined || other === value || BY_INTERFACES.test(path)) continue;
      found.push(`${path} of element ${i + 1} is not the same in the signed body and as policies see it, the service says`);
      if (found.length === MOST) return found;
    }
  }
  return found;
}
