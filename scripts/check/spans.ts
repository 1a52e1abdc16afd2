/** The parts of a TypeScript file that are no code. */

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

/** Whether an expression starts after this code. */
function startsExpression(before: string): boolean {
  const tail = before.slice(-200).trimEnd();
  return tail === '' || /[({[,;=:!&|?+\-*%<>~^}]$/.test(tail) || BEFORE_REGEX.test(tail.slice(-16));
}

/**
 * By offsets: strings without their quotes, comments with their signs. `text`: between the tags of JSX. `block`: texts with the same
 * one are of one paragraph. `afterValue`: an expression is between it and the text before.
 */
export type Span = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'comment' | 'string' | 'regex' }
  | { readonly kind: 'text'; readonly block: number; readonly afterValue: boolean }
);

/** Tags inside a sentence. Each other one begins a paragraph. */
const INLINE = /^(?:a|abbr|b|code|em|i|kbd|small|span|strong|time|Link)$/;

const ELEMENT = /<(?:>|[A-Za-z])/y;
/** Type parameters of an arrow function look like an element. */
const TYPE_PARAMETERS = /<(?:\w+(?:,| extends\b)|[A-Z]\w*>\()/y;

class Reader {
  readonly found: Span[] = [];
  readonly #text: string;
  readonly #isTsx: boolean;
  #i = 0;
  #code = '';
  #blocks = 0;
  /** Blocks with an expression since their last text. */
  readonly #afterValue = new Set<number>();

  constructor(text: string, isTsx: boolean) {
    this.#text = text;
    this.#isTsx = isTsx;
  }

  get isDone(): boolean {
    return this.#i >= this.#text.length;
  }

  #at(form: RegExp): string | undefined {
    form.lastIndex = this.#i;
    return form.exec(this.#text)?.[0];
  }

  #span(kind: 'comment' | 'string' | 'regex', end: number): void {
    if (end > this.#i) this.found.push({ kind, start: this.#i, end });
    this.#code += ' ';
    this.#i = end;
  }

  /** The offset of a sign, or of the text's end. */
  #before(sign: string, from = this.#i): number {
    const at = this.#text.indexOf(sign, from);
    return at < 0 ? this.#text.length : at;
  }

  #sign(length = 1): void {
    this.#code += this.#text.slice(this.#i, this.#i + length);
    this.#i += length;
  }

  #string(quote: string, isAttribute = false): void {
    this.#sign();
    let end = this.#i;
    while (end < this.#text.length && this.#text[end] !== quote && (isAttribute || this.#text[end] !== '\n'))
      end += this.#text[end] === '\\' && !isAttribute ? 2 : 1;
    this.#span('string', Math.min(end, this.#text.length));
    this.#sign();
  }

  #template(): void {
    this.#sign();
    while (this.#i < this.#text.length) {
      let end = this.#i;
      for (; end < this.#text.length; end += 1) {
        if (this.#text[end] === '\\') end += 1;
        else if (this.#text[end] === '`' || (this.#text[end] === '$' && this.#text[end + 1] === '{')) break;
      }
      this.#span('string', Math.min(end, this.#text.length));
      if (this.#text[this.#i] !== '$') break;
      this.#sign(2);
      this.code();
    }
    this.#sign();
  }

  /** Code until the file or the open brace ends. */
  code(): void {
    const { length } = this.#text;
    for (let depth = 0; this.#i < length; ) {
      const c = this.#text[this.#i] ?? '';
      const two = this.#text.slice(this.#i, this.#i + 2);
      if (two === '//') this.#span('comment', this.#before('\n'));
      else if (two === '/*') this.#span('comment', Math.min(this.#before('*/', this.#i + 2) + 2, length));
      else if (c === "'" || c === '"') this.#string(c);
      else if (c === '`') this.#template();
      else if (c === '/' && startsExpression(this.#code) && regexEnd(this.#text, this.#i) > 0)
        this.#span('regex', regexEnd(this.#text, this.#i));
      else if (this.#startsElement()) this.#element(++this.#blocks);
      else {
        if (c === '{') depth += 1;
        if (c === '}') depth -= 1;
        this.#sign();
        if (depth < 0) return;
      }
    }
  }

  #startsElement(): boolean {
    if (!this.#isTsx || this.#text[this.#i] !== '<') return false;
    return this.#at(ELEMENT) !== undefined && this.#at(TYPE_PARAMETERS) === undefined && startsExpression(this.#code);
  }

  #element(block: number): void {
    this.#sign();
    while (this.#i < this.#text.length) {
      const c = this.#text[this.#i] ?? '';
      if (c === '"' || c === "'") this.#string(c, true);
      else if (c === '{') {
        this.#sign();
        this.code();
      } else if (c === '/' && this.#text[this.#i + 1] === '>') {
        this.#sign(2);
        return;
      } else {
        this.#sign();
        if (c !== '>') continue;
        this.#children(block);
        return;
      }
    }
  }

  #children(block: number): void {
    while (this.#i < this.#text.length) {
      const end = Math.min(this.#before('<'), this.#before('{'));
      if (this.#text.slice(this.#i, end).trim() !== '') {
        this.found.push({ kind: 'text', start: this.#i, end, block, afterValue: this.#afterValue.delete(block) });
      }
      this.#i = end;
      if (this.#text[end] === '{') {
        if (this.#at(/\{\s*(?:\/\*|(['"`]) \1)/y) === undefined) this.#afterValue.add(block);
        this.#sign();
        this.code();
      } else if (this.#text[end + 1] === '/') {
        this.#sign(this.#before('>') + 1 - this.#i);
        return;
      } else {
        const tag = this.#at(/<([\w.]*)/y)?.slice(1) ?? '';
        const isInline = INLINE.test(tag);
        this.#element(isInline ? block : ++this.#blocks);
        // Texts after an inner paragraph are another one.
        if (!isInline) block = ++this.#blocks;
      }
    }
  }
}

/** Every comment, string, part of a template, regular expression and text of JSX, in their order. */
export function spansOf(text: string, isTsx = false): Span[] {
  const reader = new Reader(text, isTsx);
  // A closing brace too many does not end the file.
  do reader.code();
  while (!reader.isDone);
  return reader.found;
}
