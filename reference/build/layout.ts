import { AT, type Part } from './chapters.ts';
import { escaped, link } from './html.ts';
import type { Page } from './page.ts';

export type Contents = readonly { title: string; pages: readonly Pick<Page, 'path' | 'title'>[] }[];

/** The parts of the reference, then the operations. */
export function contentsOf(all: readonly Part[], pages: readonly Page[], operations: readonly Page[]): Contents {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const parts = all.map(({ title, chapters }) => ({
    title,
    pages: chapters.map(([, place]) => byPath.get(`${AT}/${place}`)!),
  }));
  return [...parts, { title: 'Operations', pages: operations }];
}

export const listOf = (contents: Contents, here = ''): string =>
  contents
    .map(({ title, pages }) => {
      const items = pages.map(
        (page) => `<li><a href="${page.path}"${page.path === here ? ' aria-current="page"' : ''}>${escaped(page.title)}</a></li>`,
      );
      return `<h2>${escaped(title)}</h2><ul>${items.join('\n')}</ul>`;
    })
    .join('\n');

/** A whole page. The contents come last, so that a narrow window and a keyboard meet the text first. */
export function layout(page: Page, contents: Contents, name: string): string {
  const { path, title, head, here, body } = page;
  const places = here.map(({ href, words }) => `<li>${link(href, escaped(words))}</li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)} · ${escaped(name)}</title>
<link rel="stylesheet" href="${AT}/reference.css">
<script src="${AT}/reference.js" defer></script>
</head>
<body>
<a class="skip" href="#text">To the text</a>
<header>
<a class="name" href="${AT}">${escaped(name)}</a>
<form id="search" role="search">
<input type="search" aria-label="Search" aria-describedby="count" placeholder="Search ( / )" autocomplete="off" spellcheck="false">
<p id="count" role="status"></p>
<ol id="found"></ol>
</form>
<a class="contents" href="#contents">Contents</a>
</header>
<main id="text" tabindex="-1">
${head}
${places.length > 2 ? `<ul class="places">${places.join('\n')}</ul>` : ''}
${body}
</main>
<nav id="contents" aria-label="Contents">
${listOf(contents, path)}
</nav>
</body>
</html>
`;
}
