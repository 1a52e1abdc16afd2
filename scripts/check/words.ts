/** Plain English as a rule: the sentences of comments, messages and documents. AGENTS.md says how to write them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Span, spansOf } from './spans.ts';
import { ALLOWED, PHRASES, WORDS } from './words-rules.ts';

export interface Sentence {
  readonly text: string;
  readonly words: number;
}

export type Rule = 'subject' | 'too long' | 'long' | 'phrase';

export interface Complaint {
  readonly file: string;
  readonly rule: Rule;
  readonly message: string;
}

/** Sentences of the other rules are only counted. */
export const isError = (rule: Rule) => rule === 'subject' || rule === 'too long';

const CODE = '¤';

/** Sentences of one paragraph. Code, links and numbers count as one word each. */
export function sentencesOf(paragraph: string): Sentence[] {
  const plain = paragraph
    .replace(/`+[^`]*`+/g, CODE)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<?https?:\/\/\S+/g, CODE)
    .replace(/(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain
    .split(/(?<=[.!?]["')\]]?)\s+(?=["'([]?[A-Z¤])/)
    .map((text) => ({ text: text.trim(), words: text.match(/[\p{L}\p{N}¤][\p{L}\p{N}¤'’./:_@-]*/gu)?.length ?? 0 }))
    .filter(({ words }) => words > 1);
}

const blocks = (lines: readonly string[]): string[] => {
  const found: string[] = [];
  let open = '';
  for (const line of [...lines, '']) {
    const item = /^\s*(?:[-*+]|\d+\.)\s+(.*)$/.exec(line);
    if (item || line.trim() === '') {
      if (open) found.push(open);
      open = item?.[1] ?? '';
    } else open += `${open ? ' ' : ''}${line.trim()}`;
  }
  return found;
};

/** Paragraphs, list items, headings and cells of tables; no code. */
export function paragraphsOfMarkdown(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.replace(/^(\s*)(```|~~~)[\s\S]*?^\s*\2/gm, '').split('\n')) {
    const plain = line.replace(/^\s*>\s?/, '');
    if (/^\s*\|/.test(plain)) {
      for (const cell of plain.replace(/`[^`]*`/g, CODE).split(/(?<!\\)\|/))
        if (!/^[\s:-]*$/.test(cell)) lines.push('', cell, '');
    } else if (/^#+\s/.test(plain)) lines.push('', plain.replace(/^#+\s/, ''), '');
    else lines.push(plain);
  }
  return blocks(lines);
}

/** Lines of a help text: commands to copy are left out, and the text beside an option is a text of its own. */
function linesOfHelp(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    if (/^\s*(?:Usage:|Examples?:)?\s*(?:[A-Z_]+=\S+ )?(?:\.\/countersign|countersign|npm|node) /.test(line)) return ['', ''];
    const row = /^\s*\S.*?\s{2,}(\S.*)$/.exec(line);
    return row ? ['', row[1] ?? ''] : [line];
  });
}

/** Comments on lines that follow each other are one text. */
export function paragraphsOfComments(text: string, spans: readonly Span[]): string[] {
  const found: string[] = [];
  let lines: string[] = [];
  let last = 0;
  for (const { kind, start, end } of spans) {
    if (kind !== 'comment') continue;
    if (text.slice(last, start).trim() !== '' || /\n\s*\n/.test(text.slice(last, start))) {
      found.push(...blocks(linesOfHelp(lines)));
      lines = [];
    }
    const body = text.slice(start, end).replace(/^\/\*+|^\/\/+|\*\/$/g, '');
    for (const line of body.split('\n')) lines.push(line.replace(/^\s*\*(?: |$)/, '').replace(/^@\w+\s*/, ''));
    last = end;
  }
  return [...found, ...blocks(linesOfHelp(lines))];
}

/** Paragraphs of JSX. An expression is a word of them. */
export function textsOf(text: string, spans: readonly Span[]): string[] {
  const found = new Map<number, string>();
  for (const span of spans)
    if (span.kind === 'text') {
      const said = text.slice(span.start, span.end).replace(/&\w+;/g, ' ');
      found.set(span.block, `${found.get(span.block) ?? ''}${span.afterValue ? CODE : ''}${said}`);
    }
  return [...found.values()];
}

/** Comments of a configuration, and the texts that it has for people. */
export function paragraphsOfSettings(text: string): string[] {
  const comments = text.split('\n').map((line) => /^\s*#+(?:$|\s(.*))/.exec(line)?.[1] ?? '');
  const said = [...text.matchAll(/^[\s-]*"?(?:summary|description|Description)"?\s*[:=]\s*(.+?),?$/gm)].map(
    ([, one = '']) => one,
  );
  return [...blocks(comments), ...said];
}

/** The part of the changelog that no release has. */
const unreleased = (text: string): string => /\n## Unreleased\n([\s\S]*?)(?=\n## |$)/.exec(text)?.[1] ?? '';

/** Strings that are no sentences: SQL, code that a program writes, lists of names. */
const NO_SENTENCES = [
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|SET|BEGIN|COMMIT|PRAGMA|VACUUM|ON|WHERE|AND|FROM|ORDER)\b/,
  /\b(?:INSERT INTO|UNION ALL|LEFT JOIN|AS MATERIALIZED|ORDER BY|WHERE n NOT IN)\b/,
  /^\s*(?:import|export|const|test|assert)\b[^.]*[({]/m,
  /^\s*(?:\w*_\w*\s+){3}/,
];

/** Strings that read as sentences: four words and more, of letters mostly. A template's values are words of it. */
export function messagesOf(text: string, spans: readonly Span[]): string[] {
  const found: string[] = [];
  let open = '';
  let last = -1;
  const flush = () => {
    const letters = open.match(/[a-z ,.]/gi)?.length ?? 0;
    if (
      !NO_SENTENCES.some((kind) => kind.test(open)) &&
      letters > open.length * 0.8 &&
      (open.match(/[a-z]+ /gi)?.length ?? 0) >= 3
    )
      found.push(open);
    open = '';
  };
  for (const { kind, start, end } of spans) {
    if (kind !== 'string') continue;
    const between = last < 0 ? '' : text.slice(last, start);
    if (between.startsWith('${') && between.endsWith('}') && !between.includes('`')) open += CODE;
    else flush();
    open += text.slice(start, end).replace(/\\n/g, '\n\n').replace(/\\(.)/g, '$1');
    last = end;
  }
  flush();
  return found.flatMap((message) => blocks(linesOfHelp(message.split('\n'))));
}

function complaintsOf(file: string, paragraph: string): Complaint[] {
  return sentencesOf(paragraph).flatMap(({ text, words }) => {
    if (ALLOWED.some(({ part }) => text.includes(part))) return [];
    const shown = text.replaceAll(CODE, '`…`');
    const found: Complaint[] = [];
    const add = (rule: Complaint['rule'], why: string) => found.push({ file, rule, message: `${why}: ${shown}` });
    if (WORDS.subjects.test(text) && !text.endsWith('?')) add('subject', 'names no subject');
    if (words > WORDS.most) add('too long', `has ${words} words, and may have ${WORDS.most}`);
    else if (words > WORDS.aim) add('long', `has ${words} words (aim for ${WORDS.aim})`);
    const phrase = PHRASES.find(({ said }) => said.test(text));
    if (phrase) add('phrase', `say ${phrase.plain}`);
    return found;
  });
}

const TITLE = /\b(?:test|describe|it)\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g;

/** Titles of tests are held to the rule of subjects alone. */
function titlesOf(file: string, text: string): Complaint[] {
  const titles = [...text.matchAll(TITLE)].map(([, , title = '']) => title.replace(/\$\{[^}]*\}/g, CODE));
  return titles.flatMap((title) => complaintsOf(file, title)).filter(({ rule }) => rule === 'subject');
}

/** The complaints about a file. Messages are those of programs; of tests, only the titles are read. */
export function complaintsAbout(root: string, file: string): Complaint[] {
  const text = readFileSync(join(root, file), 'utf8');
  const all = (paragraphs: readonly string[]) => paragraphs.flatMap((each) => complaintsOf(file, each));
  if (file.endsWith('.md')) return all(paragraphsOfMarkdown(file === 'CHANGELOG.md' ? unreleased(text) : text));
  if (!/\.[mc]?[jt]sx?$/.test(file)) return all(paragraphsOfSettings(text));
  const spans = spansOf(text, file.endsWith('.tsx'));
  const isTest = file.startsWith('tests/');
  const said = isTest ? [] : [...messagesOf(text, spans), ...textsOf(text, spans)];
  return [...all([...paragraphsOfComments(text, spans), ...said]), ...(isTest ? titlesOf(file, text) : [])];
}
