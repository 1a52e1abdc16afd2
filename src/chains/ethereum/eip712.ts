import { hashTypedData } from 'viem/utils';
import { isObject, payloadJson } from './json.ts';

type Refuse = (why: string) => Error;

const MOST_TYPES = 200;
const MOST_FIELDS = 2000;

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,127}$/;
const ATOMIC = /^(address|bool|string|bytes([1-9]|[12]\d|3[0-2])?|u?int(8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256)?)$/;

/** The types as EIP-712 defines them: known names only, so that nothing is hashed as something that it is not. */
function checkTypes(types: { [name: string]: unknown }, refuse: Refuse): void {
  const names = Object.keys(types);
  if (names.length > MOST_TYPES) throw refuse(`types must name at most ${MOST_TYPES} types`);
  let count = 0;
  for (const name of names) {
    const fields = types[name];
    if (!IDENTIFIER.test(name) || ATOMIC.test(name)) throw refuse(`types.${name}: not a type name`);
    if (!Array.isArray(fields)) throw refuse(`types.${name}: must be a list of { name, type }`);
    const seen = new Set<string>();
    for (const field of fields as unknown[]) {
      if (++count > MOST_FIELDS) throw refuse(`types must have at most ${MOST_FIELDS} fields`);
      const { name: fieldName, type } = (field ?? {}) as { name?: unknown; type?: unknown };
      if (typeof fieldName !== 'string' || typeof type !== 'string' || !IDENTIFIER.test(fieldName)) throw refuse(`types.${name}: each field must have a name and a type`);
      if (seen.has(fieldName)) throw refuse(`types.${name}: names ${fieldName} twice`);
      seen.add(fieldName);
      const base = type.replace(/(\[\d{0,6}\])*$/, '');
      if (!ATOMIC.test(base) && !Object.hasOwn(types, base)) throw refuse(`types.${name}.${fieldName}: unknown type ${type.slice(0, 140)}`);
    }
  }
}

/**
 * The EIP-712 digest of a JSON text `{ domain, types, primaryType, message }`. Everything that a type names must be in the
 * message; numbers are whole, in range, and lose no precision. `refuse` makes the error.
 */
export function eip712Digest(text: string, refuse: Refuse): Buffer {
  const data = payloadJson(text, refuse);
  if (!isObject(data)) throw refuse('must be a JSON object { domain, types, primaryType, message }');
  const { domain, types, primaryType, message } = data;
  if (!isObject(types)) throw refuse('types must be an object');
  if (!isObject(domain)) throw refuse('domain must be an object');
  if (!isObject(message)) throw refuse('message must be an object');
  if (typeof primaryType !== 'string' || !Object.hasOwn(types, primaryType) || primaryType === 'EIP712Domain') throw refuse('primaryType must name one of the types');
  checkTypes(types, refuse);
  try {
    const digest = hashTypedData({ domain, types, primaryType, message } as unknown as Parameters<typeof hashTypedData>[0]);
    return Buffer.from(digest.slice(2), 'hex');
  } catch (error) {
    throw refuse(`does not fit its types: ${String((error as { shortMessage?: string }).shortMessage ?? 'a value is missing or of another type').slice(0, 200)}`);
  }
}
