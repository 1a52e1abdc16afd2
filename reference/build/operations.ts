import { AT } from './chapters.ts';
import { type Document, reached, type Shapes } from './documents.ts';
import { fieldsOf, fieldTable, SHAPES } from './fields.ts';
import { code, heading, link } from './html.ts';
import { inline } from './inline.ts';
import type { Schema } from './kinds.ts';
import { type Around, isProxy, operation } from './operation.ts';
import type { Page } from './page.ts';

/** What the command line says of an operation. */
export type Help = { name: string; group: string };

const PROXY = 'auth-proxy-endpoints';

/** Words of groups that are written otherwise. */
const WRITTEN: Readonly<Record<string, string>> = {
  ip: 'IP',
  mfa: 'MFA',
  oauth: 'OAuth',
  otp: 'One-time codes',
  tvc: 'Verifiable apps',
};

function titleOf(group: string): string {
  const words = group.split('-').map((word) => WRITTEN[word] ?? word);
  return words[0]![0]!.toUpperCase() + words.join(' ').slice(1);
}

/** Shapes that several operations reach. */
function sharedOf(document: Document): Set<string> {
  const seen = new Map<string, number>();
  for (const { post } of Object.values(document.paths))
    for (const name of reached([post, document.components.responses], document.components.schemas))
      seen.set(name, (seen.get(name) ?? 0) + 1);
  return new Set([...seen].filter(([, times]) => times > 1).map(([name]) => name));
}

function groupPage(group: string, all: readonly [string, Document['paths'][string]][], arounds: (path: string) => Around): Page {
  const path = `${AT}/api/${group}`;
  const title = titleOf(group);
  const made = all.map(([at, { post }]) => operation(at, post, arounds(at), path));
  const list = all.map(
    ([, { post }]) =>
      `<li>${link(`#${post.operationId}`, code(post.operationId))}: ${inline(post.summary, () => undefined)}</li>`,
  );
  return {
    path,
    title,
    head: heading(1, 'top', title),
    here: [],
    body: `<ul>${list.join('\n')}</ul>${made.map(({ html }) => html).join('\n')}`,
    entries: made.map(({ entry }) => ({ ...entry, place: title })),
  };
}

function shapeHtml(name: string, schema: Schema, shapes: Shapes): string {
  const fields = fieldsOf(schema, { shapes, shown: () => false });
  const values = (schema.enum as string[] | undefined)?.map((value) => `<li>${code(value)}</li>`);
  return `<section>${heading(2, name, code(name))}${values === undefined ? fieldTable(fields) : `<ul class="values">${values.join('\n')}</ul>`}</section>`;
}

function shapesPage(shapes: Shapes, names: readonly string[]): Page {
  const title = 'Shared shapes';
  return {
    path: SHAPES,
    title,
    head: heading(1, 'shapes', title),
    here: [],
    body: `<p>Several operations have these in their requests or answers.</p>${names.map((name) => shapeHtml(name, shapes[name]!, shapes)).join('\n')}`,
    entries: names.map((name) => ({
      href: `${SHAPES}#${name}`,
      title: name,
      place: title,
      text: [
        ...Object.keys((shapes[name]!.properties as object | undefined) ?? {}),
        ...((shapes[name]!.enum as string[] | undefined) ?? []),
      ].join(' '),
    })),
  };
}

/** The pages of all operations, by group, and one of the shapes that they share. */
export function operationPages(documents: readonly Document[], helps: readonly Help[], methods: Around['methods']): Page[] {
  const groups = new Map(helps.map(({ name, group }) => [name, group]));
  const arounds = new Map(documents.map((document) => [document, { document, shared: sharedOf(document), methods }]));
  const ofPath = new Map(
    documents.flatMap((document) => Object.keys(document.paths).map((path) => [path, arounds.get(document)!])),
  );
  const all = documents.flatMap(({ paths }) => Object.entries(paths));
  // Activities come before queries.
  const order = ([path]: (typeof all)[number]) => (path.includes('/query/') ? 1 : 0);
  const byGroup = Map.groupBy(
    all.toSorted((a, b) => order(a) - order(b)),
    ([path, { post }]) => (isProxy(path) ? PROXY : groups.get(post.operationId)!),
  );
  const shapes: Shapes = Object.assign({}, ...documents.toReversed().map(({ components }) => components.schemas));
  // Lists of values are linked wherever they are used.
  const values = Object.keys(shapes).filter((name) => shapes[name]!.type !== 'object');
  const shared = new Set([...values, ...[...arounds.values()].flatMap((around) => [...around.shared])]);
  const pages = [...byGroup]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, its]) => groupPage(group, its, (path) => ofPath.get(path)!));
  return [...pages, shapesPage(shapes, [...shared].sort())];
}
