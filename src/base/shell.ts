const PLAIN = /^[\w@%+=:,./-]+$/;

/** One word of a line for a POSIX shell, whatever it has. A terminal may obey control characters of a pasted line, so none is in it. */
export const shellQuoted = (word: string): string =>
  PLAIN.test(word) ? word : `'${word.replaceAll(/\p{Cc}/gu, '·').replaceAll("'", `'\\''`)}'`;
