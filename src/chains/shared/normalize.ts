/** For formats in which an address has only one spelling. */
export const asWritten = (text: string): string => text;

/** For bech32 and bech32m, which may be all upper case (BIP-173). */
export const bech32Case =
  (prefix: string) =>
  (text: string): string =>
    text.startsWith(`${prefix.toUpperCase()}1`) && text === text.toUpperCase() ? text.toLowerCase() : text;

/** For addresses of 0x and 64 hex digits of any case. */
export const hex32Case = (text: string): string => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : text);
