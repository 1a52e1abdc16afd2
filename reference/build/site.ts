/** The reference as files of a static site. Links are relative, so that it works from a folder and below any path. */
import { posix } from 'node:path';
import type { Index } from '../page/find.ts';
import { AT, belowDocs, type Chapter, PARTS, type Part } from './chapters.ts';

/** Documents outside the parts that a service sends, by the beginning of their path. The first that fits counts. */
const MORE: readonly (readonly [begins: string, title: string])[] = [
  ['docs/login/', 'Logins'],
  ['docs/operating/', 'Operation'],
  ['docs/recipes/', 'Adding to it'],
  ['docs/decisions/', 'Decisions'],
  ['docs/', 'How it works'],
  ['examples/', 'Examples'],
  ['', 'The project'],
];

/** docs/operating/README.md is the page `operating`, SECURITY.md the page `security`. */
const placeOf = (file: string): string =>
  belowDocs(file)
    .replace(/(?:\/README)?\.md$/, '')
    .toLowerCase();

/** All documents as parts: first those of the service's reference. */
export function siteParts(files: readonly string[]): Part[] {
  const known = new Set(PARTS.flatMap(({ chapters }) => chapters.map(([file]) => file)));
  const rest = files.filter((file) => !known.has(file));
  const byTitle = Map.groupBy(rest, (file) => MORE.find(([begins]) => file.startsWith(begins))![1]);
  const more = MORE.flatMap(([, title]) => {
    const chapters = (byTitle.get(title) ?? []).map((file): Chapter => [file, placeOf(file)]);
    return chapters.length === 0 ? [] : [{ title, chapters }];
  });
  return [...PARTS, ...more];
}

/** The file of a path of the service: `/docs` is index.html, `/openapi.json` is beside it. */
function fileOf(path: string): string {
  const below = path === AT ? 'index' : path.replace(`${AT}/`, '').replace(/^\//, '');
  return /\.(?:css|js|json|png)$/.test(below) ? below : `${below}.html`;
}

const relative = (from: string, to: string): string => posix.relative(posix.dirname(from), to);

/** Every attribute is made by the builder, and no text has a plain quotation mark: this meets links alone. */
const withRelativeLinks = (html: string, from: string): string =>
  html.replace(/ (href|src)="(\/[^"#]*)/g, (_, name: string, to: string) => ` ${name}="${relative(from, fileOf(to))}`);

/** `pages`: by path, as a service has them, with what a search looks in. */
export function siteOf(pages: Readonly<Record<string, string>>): Record<string, string> {
  const { [`${AT}/search.json`]: index, ...rest } = pages;
  const { places, words } = JSON.parse(index!) as Index;
  const moved = places.map(([href, ...more]) => {
    const [path, id] = href.split('#') as [string, string?];
    return [`${fileOf(path)}${id === undefined ? '' : `#${id}`}`, ...more];
  });
  const files = Object.entries(rest).map(([path, html]) => [fileOf(path), withRelativeLinks(html, fileOf(path))] as const);
  return { ...Object.fromEntries(files), 'search.js': `const searchIndex = ${JSON.stringify({ places: moved, words })};\n` };
}
