import type { Span } from './ast.ts';
import type { Problem } from './problem.ts';

/** `text` is the source text of the token; for a string, the text between the quotes. */
export type Token = { readonly kind: 'int' | 'string' | 'name' | 'symbol' | 'end'; readonly text: string; readonly span: Span };

const spaceOrToken = /(\s+)|([A-Za-z_][A-Za-z0-9_]*)|(-?[0-9]+)|('[^']*'|"[^"]*")|(&&|\|\||==|!=|<=|>=|\.\.|[<>!.,:;()[\]{}])/y;

/** Characters that begin no token, and the probable intention. */
const strayHints: Readonly<Record<string, string>> = {
  '=': 'use `==` to compare',
  '&': 'use `&&`',
  '|': 'use `||`',
  "'": 'the string is not closed; strings have no escapes',
  '"': 'the string is not closed; strings have no escapes',
  '#': 'there are no comments',
  '/': 'there is no arithmetic and there are no comments',
  '+': 'there is no arithmetic',
  '-': 'there is no arithmetic',
  '*': 'there is no arithmetic',
  '%': 'there is no arithmetic',
  '?': 'there is no conditional operator',
  '‘': "quote strings with `'`",
  '’': "quote strings with `'`",
  '“': "quote strings with `'`",
  '”': "quote strings with `'`",
};

export function lex(source: string): { ok: true; tokens: Token[] } | { ok: false; problem: Problem } {
  const tokens: Token[] = [];
  let start = 0;
  while (start < source.length) {
    spaceOrToken.lastIndex = start;
    const match = spaceOrToken.exec(source);
    if (match === null) return { ok: false, problem: stray(source, start) };
    const end = spaceOrToken.lastIndex;
    const span = { start, end };
    const [text, space, name, int, string] = match;
    if (name !== undefined) tokens.push({ kind: 'name', text, span });
    else if (string !== undefined) tokens.push({ kind: 'string', text: text.slice(1, -1), span });
    else if (int !== undefined) {
      if (/[A-Za-z_]/.test(source[end] ?? '')) return { ok: false, problem: wordAfterNumber(source, start) };
      tokens.push({ kind: 'int', text, span });
    } else if (space === undefined) tokens.push({ kind: 'symbol', text, span });
    start = end;
  }
  tokens.push({ kind: 'end', text: '', span: { start: source.length, end: source.length } });
  return { ok: true, tokens };
}

function stray(source: string, start: number): Problem {
  const character = String.fromCodePoint(source.codePointAt(start) ?? 0);
  const span = { start, end: start + character.length };
  const hint = Object.hasOwn(strayHints, character) ? strayHints[character] : undefined;
  const message = `unexpected character \`${character}\``;
  return hint === undefined ? { message, span } : { message, span, hint };
}

function wordAfterNumber(source: string, start: number): Problem {
  const word = /^-?[A-Za-z0-9_]*/.exec(source.slice(start, start + 100))?.[0] ?? '';
  const span = { start, end: start + word.length };
  const hint = /^0x/i.test(word)
    ? 'hexadecimal values are strings: put it in quotes'
    : 'numbers are decimal digits; strings need quotes';
  return { message: `\`${word}\` is not a number`, span, hint };
}
