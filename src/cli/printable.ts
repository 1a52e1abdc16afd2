/** Control characters, and those that turn the direction of text. Lines and tabs stay. */
const HIDDEN = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A text with such characters as JSON writes them, which JSON stays JSON with. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Texts of users, contracts and nodes must not contain terminal control sequences. */
export const printable = (line: string): string => line.replace(/\p{Cc}/gu, '·');
