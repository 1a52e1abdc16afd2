import { isObject, parseJson } from '../../base/json.ts';

/** The part that a browser signed besides the authenticator's data (WebAuthn §5.8.1): the members that are checked. */
export type ClientData = { type: string; challenge: string; origin: string };

const LONGEST_CLIENT_DATA = 3072;
const LIMITS = { depth: 4, keys: 32 };

/** Undefined if the bytes are no client data. */
export function readClientData(bytes: Uint8Array): ClientData | undefined {
  if (bytes.length > LONGEST_CLIENT_DATA) return undefined;
  const parsed = parseJson(bytes, LIMITS);
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value)) return undefined;
  const { type, challenge, origin } = value;
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') return undefined;
  return { type, challenge, origin };
}
