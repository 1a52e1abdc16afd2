/**
 * The user handle of a passkey made here: the ids of organization and user, and random bytes, 16 each. So the passkey alone is enough to sign in. A
 * device replaces a passkey of the same handle. Without the random bytes, a forged link with a person's ids would remove theirs.
 */
import { fromHex, toHex } from '../../../src/base/bytes.ts';
import { own } from '../service/bytes.ts';

/** Passkeys that were made before have no random bytes. */
const LENGTHS = [32, 48];

const idBytes = (id: string) => fromHex(id.replaceAll('-', '')) ?? new Uint8Array();

export const userHandle = (organizationId: string, userId: string) =>
  own(Uint8Array.of(...idBytes(organizationId), ...idBytes(userId), ...crypto.getRandomValues(new Uint8Array(16))));

export function organizationOfHandle(handle: Uint8Array | undefined): string | undefined {
  if (handle === undefined || !LENGTHS.includes(handle.length)) return undefined;
  return toHex(handle.subarray(0, 16)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
