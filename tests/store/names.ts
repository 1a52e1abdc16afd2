import { createHash } from 'node:crypto';

/** As long as an id: the bytes of a name that is short enough are the id's. */
const BYTES = 16;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id of a name in tests. Ids of short names sort as the names do. An id is returned unchanged. */
export function idOf(name: string): string {
  if (UUID.test(name)) return name;
  const bytes = Buffer.from(name);
  const id =
    bytes.length <= BYTES
      ? Buffer.concat([bytes, Buffer.alloc(BYTES - bytes.length)])
      : Buffer.concat([bytes.subarray(0, 8), createHash('sha256').update(bytes).digest().subarray(0, 8)]);
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The fingerprint of a name in tests. */
export const digestOf = (name: string): string => `sha256:${createHash('sha256').update(idOf(name)).digest('hex')}`;

export const NOW = 1_700_000_000_000;
