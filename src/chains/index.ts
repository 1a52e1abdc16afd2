import { aptosAddress } from './aptos/address.ts';
import { bitcoinAddresses, dogecoinAddresses } from './bitcoin/address.ts';
import { cosmosAddresses } from './cosmos/address.ts';
import { ethereumAddress } from './ethereum/address.ts';
import { compressedAddress, uncompressedAddress } from './generic/address.ts';
import type { AddressFormat } from './shared/address-format.ts';
import { solanaAddress } from './solana/address.ts';
import { sparkAddresses } from './spark/address.ts';
import { stellarAddress } from './stellar/address.ts';
import { suiAddress } from './sui/address.ts';
import { tonAddresses } from './ton/address.ts';
import { tronAddress } from './tron/address.ts';
import { xrpAddress } from './xrp/address.ts';

export type { AddressFormat } from './shared/address-format.ts';

/** Every address format, one row each. */
export const addressFormats: readonly AddressFormat[] = [
  uncompressedAddress,
  compressedAddress,
  ethereumAddress,
  solanaAddress,
  tronAddress,
  suiAddress,
  aptosAddress,
  stellarAddress,
  xrpAddress,
  ...cosmosAddresses,
  ...bitcoinAddresses,
  ...dogecoinAddresses,
  ...tonAddresses,
  ...sparkAddresses,
];

/** The forms under which the address `text` may be stored: `text` itself, then its normalized forms. */
export function* addressForms(text: string): Generator<string> {
  yield text;
  const forms = new Set(addressFormats.map((format) => format.normalize(text)));
  forms.delete(text);
  yield* forms;
}

const byName = new Map(addressFormats.map((format) => [format.name, format]));

/** `name`: ADDRESS_FORMAT_… Undefined if unknown. */
export function addressFormat(name: string): AddressFormat | undefined {
  return byName.get(name);
}
