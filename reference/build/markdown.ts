/** The Markdown of our own documents: headings, paragraphs, lists, tables, code. Anything else in them is text. */
export type Block =
  | { is: 'heading'; level: number; text: string }
  | { is: 'paragraph'; text: string }
  | { is: 'code'; text: string }
  | { is: 'list'; ordered: boolean; items: Block[][] }
  | { is: 'table'; head: string[]; rows: string[][] };

const FENCE = /^(\s*)```/;
const HEADING = /^(#{1,6}) (.*)$/;
const ITEM = /^(\s*)([-*]|\d+\.) +/;
const ROW = /^\s*\|.*\|\s*$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;
/** A list in the middle of a paragraph begins with a dash or with 1. So a wrapped number is text. */
const interrupts = (line: string): boolean => /^\s*(?:[-*]|1\.) /.test(line);
const begins = (line: string): boolean =>
  line.trim() === '' || FENCE.test(line) || HEADING.test(line) || ROW.test(line) || interrupts(line) || line.startsWith('<!--');

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** The lines of a list's item, without its mark, and the line after it. Of numbers, only the next one begins another item. */
function itemAt(lines: readonly string[], at: number): { inside: string[]; next: number } {
  const [begin, indent, sign] = ITEM.exec(lines[at]!)!;
  const mark = begin.length;
  const following = `${indent}${Number.parseInt(sign!, 10) + 1}. `;
  const inside = [lines[at]!.slice(mark)];
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = lines[next]!;
    const belongs = line.trim() === '' ? indentOf(lines[next + 1] ?? '') >= mark : indentOf(line) >= mark || !begins(line);
    if (!belongs || line.startsWith(following) || (line.trim() === '' && (lines[next + 1] ?? '').trim() === '')) break;
    inside.push(line.slice(Math.min(mark, indentOf(line))));
  }
  return { inside, next };
}

function listAt(lines: readonly string[], at: number): { list: Block; next: number } {
  const [, indent, mark] = ITEM.exec(lines[at]!)!;
  const ordered = /\d/.test(mark!);
  const items: Block[][] = [];
  let next = at;
  for (;;) {
    const begin = ITEM.exec(lines[next] ?? '');
    if (begin === null || begin[1]!.length !== indent!.length || /\d/.test(begin[2]!) !== ordered) break;
    const item = itemAt(lines, next);
    items.push(blocksIn(item.inside));
    next = item.next;
    if (lines[next]?.trim() === '' && ITEM.test(lines[next + 1] ?? '')) next++;
  }
  return { list: { is: 'list', ordered, items }, next };
}

function codeAt(lines: readonly string[], at: number): { text: string; next: number } {
  const indent = FENCE.exec(lines[at]!)![1]!.length;
  const end = lines.findIndex((line, i) => i > at && /^\s*```\s*$/.test(line));
  if (end < 0) throw new Error(`a block of code has no end: ${lines[at]}`);
  const inside = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, indentOf(line))));
  return { text: inside.join('\n'), next: end + 1 };
}

/** From the line `at` on, up to the first that `ends` it. */
function run(lines: readonly string[], at: number, ends: (line: string) => boolean): { taken: string[]; next: number } {
  let next = at + 1;
  while (next < lines.length && !ends(lines[next]!)) next++;
  return { taken: lines.slice(at, next), next };
}

function blocksIn(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const title = HEADING.exec(line);
    if (line.trim() === '' || line.startsWith('<!--')) at++;
    else if (title) {
      blocks.push({ is: 'heading', level: title[1]!.length, text: title[2]! });
      at++;
    } else if (FENCE.test(line)) {
      const { text, next } = codeAt(lines, at);
      blocks.push({ is: 'code', text });
      at = next;
    } else if (ITEM.test(line)) {
      const { list, next } = listAt(lines, at);
      blocks.push(list);
      at = next;
    } else if (ROW.test(line)) {
      const { taken, next } = run(lines, at, (one) => !ROW.test(one));
      const [head, , ...rows] = taken.map(cellsOf);
      blocks.push({ is: 'table', head: head!, rows });
      at = next;
    } else {
      const { taken, next } = run(lines, at, begins);
      blocks.push({ is: 'paragraph', text: taken.map((one) => one.trim()).join(' ') });
      at = next;
    }
  }
  return blocks;
}

export const blocksOf = (text: string): Block[] => blocksIn(text.split('\n'));
