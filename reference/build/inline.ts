import { code, escaped, image, link } from './html.ts';

/** The address of a link's target, or of a picture. Undefined: there is none, so a link is only its text, and a picture is left out. */
export type Resolve = (target: string) => string | undefined;

/** Between characters that no document has. */
const KEPT = /\uE000(\d+)\uE000/g;

/** Code, links, pictures and stress in a line of Markdown, as HTML. */
export function inline(text: string, resolve: Resolve): string {
  const kept: string[] = [];
  const keep = (html: string) => `\uE000${kept.push(html) - 1}\uE000`;
  const html = escaped(text.replace(/(`+)(.+?)\1/g, (_, __, inside: string) => keep(code(inside.trim()))))
    .replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (_, mark: string, words: string, target: string) => {
      const href = resolve(target.replaceAll('&amp;', '&'));
      if (mark !== '') return href === undefined ? '' : keep(image(href, words));
      return href === undefined ? words : link(href, words);
    })
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*(\S(?:.*?\S)?)\*(?![\w*])/g, '<em>$1</em>');
  return html.replace(KEPT, (_, at: string) => kept[Number(at)]!);
}

/** A heading's anchor, as in rendered Markdown elsewhere. */
export const slug = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
