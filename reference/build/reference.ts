/** The whole reference out of the documents of this repository. Nothing is read or written here. */
import { type Index, packed, wordsOf } from '../page/find.ts';
import { chapter } from './chapter.ts';
import { AT, belowDocs, PARTS, type Part } from './chapters.ts';
import type { Document } from './documents.ts';
import { contentsOf, layout } from './layout.ts';
import { type Help, operationPages } from './operations.ts';
import type { Entry, Page } from './page.ts';
import { start } from './start.ts';

/** Files that the pages are made of, besides the chapters' own. */
export const DATA = {
  api: 'openapi/public-api.json',
  proxy: 'openapi/auth-proxy.json',
  helps: 'openapi/operations-help.json',
  methods: 'openapi/client-methods.json',
} as const;

/** What a search looks in. Words of the title are not repeated. */
function indexOf(entries: readonly Entry[]): string {
  const at = new Map<string, number[]>();
  for (const [place, { title, text }] of entries.entries()) {
    const ofTitle = new Set(wordsOf(title));
    const words = wordsOf(text).filter(
      (word) => word.length > 1 && word.length < 40 && !/^(?:0x|\d+[a-f])/.test(word) && !ofTitle.has(word),
    );
    for (const word of words) at.set(word, [...(at.get(word) ?? []), place]);
  }
  // Words that begin alike are beside each other, and so take less when packed.
  const words = [...at].sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, places]) => [word, packed(places)]);
  const index: Index = {
    places: entries.map(({ href, title, place }) => [href, title, place]),
    words: Object.fromEntries(words),
  };
  return JSON.stringify(index);
}

/** Pages by path, and what a search looks in. `read`: the text of a file, by its path from the root. `pictures`: those that pages may show. */
export function referenceOf(
  read: (path: string) => string,
  parts: readonly Part[] = PARTS,
  pictures: readonly string[] = [],
): Record<string, string> {
  const parsed = <T>(path: string) => JSON.parse(read(path)) as T;
  const api = parsed<Document>(DATA.api);
  const all = parts.flatMap((part) => part.chapters);
  const placed = [...all, ...pictures.map((file) => [file, belowDocs(file)] as const)];
  const places = new Map(placed.map(([file, place]) => [file, `${AT}/${place}`]));
  const chapters = all.map((one) => chapter(one, read(one[0]), places));
  const operations = operationPages(
    [api, parsed<Document>(DATA.proxy)],
    parsed<Help[]>(DATA.helps),
    parsed<Record<string, string>>(DATA.methods),
  );
  const contents = contentsOf(parts, chapters, operations);
  const pages: Page[] = [start(api, contents), ...chapters, ...operations];
  const files = pages.map((page): [string, string] => [page.path, layout(page, contents, api.info.title)]);
  return { ...Object.fromEntries(files), [`${AT}/search.json`]: indexOf(pages.flatMap(({ entries }) => entries)) };
}
