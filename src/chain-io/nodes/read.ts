import { isObject } from '../../base/json.ts';

/** Readers of nodes' answers. They throw for a malformed answer: the endpoint then counts as one that did not answer. */
export class Malformed extends Error {}

const malformed = (wanted: string): never => {
  throw new Malformed(`no ${wanted}`);
};

export type Hex = `0x${string}`;

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export const quantity = (value: unknown): bigint =>
  typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : malformed('quantity');

const matching =
  (pattern: RegExp, what: string) =>
  (value: unknown): Hex =>
    typeof value === 'string' && pattern.test(value) ? (value.toLowerCase() as Hex) : malformed(what);

export const data = matching(DATA, 'data');
export const hash = matching(HASH, 'hash');
export const address = matching(ADDRESS, 'address');

/** A whole number of JSON that is not negative. */
export function whole(value: unknown): bigint {
  if (typeof value === 'bigint') return value >= 0n ? value : malformed('number');
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : malformed('number');
}

/** The height of a block or slot: a number that no chain comes near to is malformed. */
export function place(value: unknown): bigint {
  const at = whole(value);
  return at < 2n ** 48n ? at : malformed('height of a block');
}

export const flag = (value: unknown): boolean => (typeof value === 'boolean' ? value : malformed('true or false'));
export const text = (value: unknown): string => (typeof value === 'string' ? value : malformed('text'));
export const object = (value: unknown): { [key: string]: unknown } => (isObject(value) ? value : malformed('object'));
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : malformed('list'));

/** Absent where the node has null, or nothing. */
export const optional =
  <T>(read: (value: unknown) => T) =>
  (value: unknown): T | undefined =>
    value === null || value === undefined ? undefined : read(value);
