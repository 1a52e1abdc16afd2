/** The user handle of a passkey made here: the ids of organization and user, 16 bytes each. So the passkey alone is enough to sign in. */
import { fromHex, toHex } from '../../../src/base/bytes.ts';
import { own } from '../service/bytes.ts';

const BYTES = 32;

const idBytes = (id: string) => fromHex(id.replaceAll('-', '')) ?? new Uint8Array();

export const userHandle = (organizationId: string, userId: string) =>
  own(Uint8Array.of(...idBytes(organizationId), ...idBytes(userId)));

export function organizationOfHandle(handle: Uint8Array | undefined): string | undefined {
  if (handle?.length !== BYTES) return undefined;
  return toHex(handle.subarray(0, 16)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
