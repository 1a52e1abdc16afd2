const IMPORT_SEPARATOR = '\n--PASS--\n';

/** In UTF-16 units. The longest mnemonic, 24 Korean words in NFKD, has 287. */
export const LONGEST_MNEMONIC = 1024;
const LONGEST_PASSPHRASE = 1024;

/** Line breaks cannot be represented in an export, and U+FFFD replaces bytes that were invalid UTF-8. */
const UNFIT = /[\r\n\ufffd]/;

export type WalletText = { mnemonic: string; passphrase: string };

/**
 * The two parts of a decrypted wallet import: a mnemonic alone, or `mnemonic\n--PASS--\npassphrase`. One trailing line break is
 * dropped. The mnemonic is trimmed but not checked (see readMnemonic); a missing passphrase is empty. Undefined if a part exceeds
 * 1,024 UTF-16 units, or the passphrase has a line break or invalid text.
 */
export function splitImportedMnemonic(text: string): WalletText | undefined {
  if (text.length > LONGEST_MNEMONIC + IMPORT_SEPARATOR.length + LONGEST_PASSPHRASE) return undefined;
  const at = text.indexOf(IMPORT_SEPARATOR);
  const mnemonic = (at < 0 ? text : text.slice(0, at)).trim();
  const passphrase = at < 0 ? '' : text.slice(at + IMPORT_SEPARATOR.length).replace(/\r?\n$/, '');
  if (mnemonic.length > LONGEST_MNEMONIC || passphrase.length > LONGEST_PASSPHRASE) return undefined;
  return UNFIT.test(passphrase) || !passphrase.isWellFormed() ? undefined : { mnemonic, passphrase };
}

/** The inverse, from what is typed. Undefined for what the service would refuse, and for a line break between words. */
export function joinImportedMnemonic(typed: WalletText): string | undefined {
  const mnemonic = typed.mnemonic.trim();
  const text = typed.passphrase === '' ? mnemonic : `${mnemonic}${IMPORT_SEPARATOR}${typed.passphrase}`;
  const read = splitImportedMnemonic(text);
  return UNFIT.test(mnemonic) || mnemonic === '' || read?.passphrase !== typed.passphrase ? undefined : text;
}

/** The inverse of joinExportedMnemonic. */
export function splitExportedMnemonic(text: string): WalletText {
  const at = text.indexOf('\n');
  return at < 0 ? { mnemonic: text, passphrase: '' } : { mnemonic: text.slice(0, at), passphrase: text.slice(at + 1) };
}

/** The plaintext of a wallet export: the mnemonic, then a line break and the passphrase, if there is one. */
export function joinExportedMnemonic(mnemonic: string, passphrase = ''): string {
  return passphrase === '' ? mnemonic : `${mnemonic}\n${passphrase}`;
}
