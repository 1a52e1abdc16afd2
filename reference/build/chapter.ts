import { posix } from 'node:path';
import { AT, type Chapter } from './chapters.ts';
import { heading, paragraph, pre, seen, table } from './html.ts';
import { inline, type Resolve, slug } from './inline.ts';
import { type Block, blocksOf } from './markdown.ts';
import type { Entry, Page } from './page.ts';

/** The page of each document, and the place of each picture. */
export type Places = ReadonlyMap<string, string>;

/** Links to other chapters lead to their pages. The other files of the repository are not served. */
const resolver =
  (file: string, places: Places): Resolve =>
  (target) => {
    if (/^https?:/.test(target)) return target;
    const [path, anchor] = target.split('#') as [string, string?];
    const at = path === '' ? places.get(file) : places.get(posix.join(posix.dirname(file), path));
    return at === undefined ? undefined : `${at}${anchor === undefined ? '' : `#${anchor}`}`;
  };

/** Rows that readers look up by their first cell: codes, settings, and words of the glossary. */
function nameOfRow(first: string, glossary: boolean): string | undefined {
  if (glossary) return slug(first);
  return /^`([A-Z][A-Z\d]*(?:_[A-Z\d]+)+|[A-Z]{4,})`$/.exec(first)?.[1]?.toLowerCase();
}

/** A chapter of the reference, out of a document. */
export function chapter([file, place, renamed]: Chapter, text: string, places: Places): Page {
  const path = `${AT}/${place}`;
  const resolve = resolver(file, places);
  const show = (words: string) => inline(words, resolve);
  const glossary = file === 'docs/glossary.md';
  const ids = new Set<string>();
  const entries: Entry[] = [];
  let title = '';

  const unique = (wanted: string): string => {
    let id = wanted;
    for (let again = 1; ids.has(id); again++) id = `${wanted}-${again}`;
    ids.add(id);
    return id;
  };

  /** The section that is open. Its words are those of its blocks. */
  const says = (html: string) => {
    entries.at(-1)!.text += ` ${seen(html)}`;
    return html;
  };

  function tableOf({ head, rows }: Block & { is: 'table' }): string {
    const names = rows.map(([first]) => {
      const name = nameOfRow(first!, glossary);
      return name === undefined ? undefined : unique(name);
    });
    const cells = rows.map((row) => row.map(show));
    const open = entries.at(-1)!;
    cells.forEach((row, at) => {
      if (names[at] !== undefined)
        entries.splice(-1, 0, { href: `${path}#${names[at]}`, title: seen(row[0]!), place: title, text: seen(row.join(' ')) });
    });
    const html = table(head.map(show), cells, names);
    open.text += ` ${seen(html)}`;
    return html;
  }

  function htmlOf(block: Block): string {
    switch (block.is) {
      case 'heading': {
        const id = unique(slug(block.text));
        const words = block.level === 1 && renamed !== undefined ? renamed : block.text;
        if (block.level === 1) title = seen(show(words));
        entries.push({ href: block.level === 1 ? path : `${path}#${id}`, title: seen(show(words)), place: title, text: '' });
        return heading(block.level, id, show(words));
      }
      case 'code':
        return says(pre(block.text));
      case 'table':
        return tableOf(block);
      case 'list': {
        const tag = block.ordered ? 'ol' : 'ul';
        const items = block.items.map((inside) => {
          const [only] = inside;
          // An item of one paragraph is a line, and no paragraph of its own.
          return inside.length === 1 && only!.is === 'paragraph' ? says(show(only!.text)) : inside.map(htmlOf).join('\n');
        });
        return `<${tag}>${items.map((item) => `<li>${item}</li>`).join('\n')}</${tag}>`;
      }
      case 'paragraph':
        return says(paragraph(show(block.text)));
    }
  }

  const blocks = blocksOf(text);
  const [head, ...rest] = blocks.map((block) => ({ block, html: htmlOf(block) }));
  if (head?.block.is !== 'heading') throw new Error(`${file} does not begin with its title`);
  const parts = entries.filter(({ href }) => href.includes('#'));
  const sections = rest.flatMap(({ block, html }) =>
    block.is === 'heading' && block.level === 2 ? [/ id="([^"]*)"/.exec(html)![1]!] : [],
  );
  const here = parts
    .filter(({ href }) => sections.includes(href.split('#')[1]!))
    .map(({ href, title: words }) => ({ href, words }));
  return { path, title, head: head.html, here, body: rest.map(({ html }) => html).join('\n'), entries };
}
