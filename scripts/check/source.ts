/** Reads a TypeScript file well enough to find its imports and what its code mentions. */
import { type Span, spansOf } from './spans.ts';

export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly line: number;
}

/** The same text with comments, strings and regular expressions blanked, every offset kept. */
export function mask(text: string, spans: readonly Span[] = spansOf(text)): string {
  let out = '';
  for (const { start, end } of spans) out += text.slice(out.length, start) + text.slice(start, end).replace(/[^\n]/g, ' ');
  return out + text.slice(out.length);
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

const STATEMENT = /(?<![.\w$])(?:import|export)\b(\s+type\b(?!\s*(?:,|from\b)))?[\w\s{},*$]*?\bfrom\s*['"]/g;
const BARE = /(?<![.\w$])import\s*(\(\s*)?['"]/g;

/** Every import and re-export, also dynamic ones. `import { type A }` counts as a value import, as Node.js treats it. */
export function importsOf(text: string, code: string = mask(text)): Import[] {
  const found: Import[] = [];
  const add = (match: RegExpExecArray, typeOnly: boolean) => {
    const start = match.index + match[0].length;
    const end = text.indexOf(text[start - 1] ?? "'", start);
    found.push({ specifier: text.slice(start, end), typeOnly, line: lineAt(text, match.index) });
  };
  for (const match of code.matchAll(STATEMENT)) add(match, match[1] !== undefined);
  for (const match of code.matchAll(BARE)) {
    // `import('./x.ts')` in the place of a type is erased; there it follows a colon, an angle bracket or the like.
    const before = code.slice(Math.max(0, match.index - 40), match.index).trimEnd();
    add(match, match[1] !== undefined && /(?:[:<|&]|\btypeof|\bas)$/.test(before));
  }
  return found.sort((a, b) => a.line - b.line);
}
