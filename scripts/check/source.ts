/** Reads a TypeScript file well enough to find its imports and what its code mentions. */

export interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly line: number;
}

/** A slash after one of these words starts a regular expression; after another word it divides. */
const BEFORE_REGEX = /(?:^|[^.\w$])(?:return|typeof|case|in|of|delete|void|throw|new|do|else|yield|await|instanceof)$/;

/** The end of a regular expression that starts at `start`, or -1 if it is none. */
function regexEnd(text: string, start: number): number {
  let inClass = false;
  for (let i = start + 1; i < text.length && text[i] !== '\n'; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '[') inClass = true;
    else if (text[i] === ']') inClass = false;
    else if (text[i] === '/' && !inClass) return i + 1;
  }
  return -1;
}

function startsRegex(before: string): boolean {
  const tail = before.trimEnd();
  return tail === '' || /[({[,;=:!&|?+\-*%<>~^}]$/.test(tail) || BEFORE_REGEX.test(tail.slice(-16));
}

/** Parts of a file that are no code, by their offsets: without the quotes of strings, with the signs of comments. */
export interface Span {
  readonly kind: 'comment' | 'string' | 'regex';
  readonly start: number;
  readonly end: number;
}

/** Every comment, string, part of a template and regular expression, in their order. */
export function spansOf(text: string): Span[] {
  const found: Span[] = [];
  let code = '';
  let i = 0;
  /** For each template literal that is open, how many braces are open inside its current `${`. */
  const templates: number[] = [];
  const span = (kind: Span['kind'], end: number) => {
    if (end > i) found.push({ kind, start: i, end });
    code += ' ';
    i = end;
  };
  const after = (sign: string, from: number) => {
    const at = text.indexOf(sign, from);
    return at < 0 ? text.length : at + sign.length;
  };
  const template = () => {
    let end = i;
    for (; end < text.length; end += 1) {
      if (text[end] === '\\') end += 1;
      else if (text[end] === '`' || (text[end] === '$' && text[end + 1] === '{')) break;
    }
    end = Math.min(end, text.length);
    span('string', end);
    if (text[i] === '`') templates.pop();
    code += text[i] === '`' ? '`' : '${';
    i += text[i] === '`' ? 1 : 2;
  };
  while (i < text.length) {
    const c = text[i] ?? '';
    const two = text.slice(i, i + 2);
    if (two === '//') span('comment', text.indexOf('\n', i) < 0 ? text.length : text.indexOf('\n', i));
    else if (two === '/*') span('comment', after('*/', i + 2));
    else if (c === "'" || c === '"') {
      let end = i + 1;
      while (end < text.length && text[end] !== c && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
      code += c;
      i += 1;
      span('string', Math.min(end, text.length));
      code += text[i] ?? '';
      i += 1;
    } else if (c === '`') {
      templates.push(0);
      code += c;
      i += 1;
      template();
    } else if (c === '/' && startsRegex(code.slice(-200)) && regexEnd(text, i) > 0) span('regex', regexEnd(text, i));
    else {
      const depth = templates.length - 1;
      code += c;
      i += 1;
      if (depth < 0) continue;
      if (c === '{') templates[depth] = (templates[depth] ?? 0) + 1;
      else if (c === '}' && templates[depth] === 0) template();
      else if (c === '}') templates[depth] = (templates[depth] ?? 0) - 1;
    }
  }
  return found;
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
