import { isSealed, SEALED_TEXT, sealedBody, sealedPart, sealedTime } from '../../model/activity.ts';
import type { Holds } from '../columns.ts';

/** A sealed secret begins with this byte. Its header is that byte and the version of the master key. */
const FORMAT = 1;
const HEADER = 5;

export const headerOf = (version: number, format = FORMAT): Buffer => {
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(format, 0);
  header.writeUInt32BE(version, 1);
  return header;
};

/** The sealed secret in a stored value; undefined if the value is in clear. */
export function sealedIn(holds: Holds, value: unknown): Buffer | undefined {
  if (typeof value === 'string')
    return value.startsWith(SEALED_TEXT) ? Buffer.from(value.slice(SEALED_TEXT.length), 'base64') : undefined;
  if (!Buffer.isBuffer(value) || holds === 'hash') return undefined;
  const bytes = holds === 'body' ? (isSealed(value) ? sealedPart(value) : undefined) : value;
  return bytes !== undefined && bytes.length >= HEADER && bytes[0] === FORMAT ? bytes : undefined;
}

/** The same value with another sealed secret. */
export function withSealed(holds: Holds, before: Buffer | string, sealed: Buffer): Buffer | string {
  if (typeof before === 'string') return SEALED_TEXT + sealed.toString('base64');
  return holds === 'body' ? sealedBody(sealedTime(before), sealed) : sealed;
}

/** A keyed hash begins with this byte. Its header is that byte and the version of the master key. */
const HASH_FORMAT = 2;

/** The version of the master key of a stored value, which is sealed or hashed. Undefined if it is in clear. */
export function versionIn(holds: Holds, value: unknown): number | undefined {
  if (holds === 'hash')
    return Buffer.isBuffer(value) && value.length >= HEADER && value[0] === HASH_FORMAT ? versionOf(value) : undefined;
  const sealed = sealedIn(holds, value);
  return sealed && versionOf(sealed);
}

export const versionOf = (sealed: Buffer): number => sealed.readUInt32BE(1);
