/** Texts as HTML. All markup of the reference is made here and in the files beside it. No text of a document is taken as markup. */
const CHARACTERS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => CHARACTERS[one]!);

export const code = (text: string): string => `<code>${escaped(text)}</code>`;

export const pre = (text: string): string => `<pre><code>${escaped(text)}</code></pre>`;

/** A picture alone may be left out. */
export const paragraph = (html: string): string => (html === '' ? '' : `<p>${html}</p>`);

export const link = (href: string, html: string): string => `<a href="${escaped(href)}">${html}</a>`;

/** `words` are escaped. */
export const image = (src: string, words: string): string => `<img src="${escaped(src)}" alt="${words}">`;

/** A heading that links to itself. */
export const heading = (level: number, id: string, html: string): string =>
  `<h${level} id="${escaped(id)}">${html} <a class="here" href="#${escaped(id)}" aria-label="Link to this place">#</a></h${level}>`;

/** Cells are HTML. `ids`: of rows, where they have one. Narrow windows scroll it, by the keyboard too. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  ids: readonly (string | undefined)[] = [],
): string {
  const row = (cells: readonly string[], tag: string) => cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  const body = rows.map((cells, at) => `<tr${ids[at] === undefined ? '' : ` id="${escaped(ids[at])}"`}>${row(cells, 'td')}</tr>`);
  return `<div class="wide" tabindex="0"><table><thead><tr>${row(head, 'th')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

/** HTML without its markup, as a reader sees it. */
export const seen = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name]!)
    .replace(/\s+/g, ' ')
    .trim();
