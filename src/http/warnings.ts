import type { Warning } from '../model/warning.ts';

/** The most bytes of the header with the warnings, and of one of them. */
const LONGEST = 2048;
const LONGEST_ONE = 768;

/** The header `X-Warnings`: a code, a colon, a blank and a text each, percent-encoded. Warnings that do not fit are counted at the end. */
export function warningsText(warnings: readonly Warning[]): string {
  const texts = warnings.map(({ code, text }) => encoded(`${code}: ${text}`));
  let shown = '';
  for (const [i, text] of texts.entries()) {
    const more = shown === '' ? text : `, ${text}`;
    const rest = `, ${encodeURIComponent(`MORE: ${texts.length - i} more`)}`;
    const isLast = i === texts.length - 1;
    if (shown.length + more.length + (isLast ? 0 : rest.length) > LONGEST) return shown + rest;
    shown += more;
  }
  return shown;
}

function encoded(text: string): string {
  let bytes = '';
  for (const character of text.toWellFormed()) {
    const more = encodeURIComponent(character);
    if (bytes.length + more.length > LONGEST_ONE) return `${bytes}${encodeURIComponent('…')}`;
    bytes += more;
  }
  return bytes;
}
