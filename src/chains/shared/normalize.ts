/** For formats of which an address has one spelling only. */
export const asWritten = (text: string): string => text;

/** For bech32 and bech32m, which may be written in capitals throughout (BIP-173). */
export const bech32Case =
  (prefix: string) =>
  (text: string): string =>
    text.startsWith(`${prefix.toUpperCase()}1`) && text === text.toUpperCase() ? text.toLowerCase() : text;

/** For addresses that are 0x and 64 hex digits, which may be written in capitals. */
export const hex32Case = (text: string): string => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : text);
