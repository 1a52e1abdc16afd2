import type { AddressFormat } from './address-format.ts';
import { ethereumAddress } from './ethereum/address.ts';
import { compressedAddress, uncompressedAddress } from './generic/address.ts';
import { solanaAddress } from './solana/address.ts';

export type { AddressFormat } from './address-format.ts';

/** Every address format, one row each. */
export const addressFormats: readonly AddressFormat[] = [uncompressedAddress, compressedAddress, ethereumAddress, solanaAddress];

const byName = new Map(addressFormats.map((format) => [format.name, format]));

/** `name`: ADDRESS_FORMAT_… Undefined if there is none of this name. */
export function addressFormat(name: string): AddressFormat | undefined {
  return byName.get(name);
}
