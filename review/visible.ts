/**
 * Characters that are not seen, or change how others are seen. They are controls, bidirectional marks, zero-width, unassigned and
 * private characters, and spaces of other widths. A line break stays.
 */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

const code = (character: string): string => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** A text with each hidden character as its number: `⟨U+202E⟩`. Applied twice, it changes nothing more. */
export const visible = (text: string): string => text.replace(HIDDEN, code);

/** Whether a text has hidden characters. */
export const hides = (text: string): boolean => text.search(HIDDEN) >= 0;

/** Letters of these scripts look like Latin ones. */
const LOOKING_LATIN = /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}/u;

/** Whether a word mixes Latin letters with letters that look like them. */
export const mixesScripts = (text: string): boolean =>
  LOOKING_LATIN.test(text) &&
  (text.match(/[\p{L}\p{M}]+/gu) ?? []).some((word) => LOOKING_LATIN.test(word) && /\p{Script=Latin}/u.test(word));
