import { AT } from './chapters.ts';
import { contentOf, type Document, nameOf, type Post, requestsOf } from './documents.ts';
import { cli, curl, curlByPasskey, curlOfProxy, type Ran, sdk, sdkOfProxy } from './examples.ts';
import { type Field, fieldsOf, fieldTable, type Showing } from './fields.ts';
import { code, heading, link, pre } from './html.ts';
import { inline } from './inline.ts';
import type { Schema } from './kinds.ts';
import type { Entry } from './page.ts';

/** `shared`: shapes of several operations, which have their own place. `methods`: of the published client, by path. */
export type Around = { document: Document; shared: ReadonlySet<string>; methods: Readonly<Record<string, string>> };

export const isProxy = (path: string): boolean => path.startsWith('/v1/');

/** Codes with their places in the chapter on errors. Lines of other text stay as they are. */
const refused = (description: string): string =>
  description
    .split('\n')
    .map((line) => line.replace(/^- `([A-Z\d_]+)` \(\d+\): /, (_, name: string) => `[\`${name}\`](${name.toLowerCase()}) `))
    .filter((line) => line !== '')
    .map((line) => `<li>${inline(line, (name) => `${AT}/errors#${name}`)}</li>`)
    .join('\n');

function errorsOf({ responses }: Post): string {
  const own = Object.entries(responses).filter(
    ([status, { description }]) => /^\d+$/.test(status) && status !== '200' && description,
  );
  const rows = own.map(([status, { description }]) => `<li>${status}<ul>${refused(description!)}</ul></li>`);
  const all = `<li>${link(`${AT}/errors#of-every-request`, 'those of every request')}</li>`;
  return `<ul>${rows.join('\n')}${all}</ul>`;
}

const folded = (title: string, html: string, open = false): string =>
  `<details${open ? ' open' : ''}><summary>${title}</summary>${html}</details>`;

function commands(ran: Ran, post: Post, methods: Around['methods']): string {
  if (isProxy(ran.path))
    return `${folded('curl', pre(curlOfProxy(ran)), true) + folded('SDK', pre(sdkOfProxy(ran, methods[ran.path]!)))}<p>Pages of browsers call it, without a key. The command line acts by a key, and has no command for it.</p>`;
  if (!post.security.some((one) => 'stamp' in one))
    return `${folded('curl', pre(curlByPasskey(ran)), true)}<p>A browser makes the assertion: ${link(`${AT}/stamps#a-stamp-by-a-passkey`, 'a stamp by a passkey')}. The command line has none.</p>`;
  return (
    folded('curl', pre(curl(ran)), true) + folded('SDK', pre(sdk(ran, methods[ran.path]))) + folded('Command line', pre(cli(ran)))
  );
}

type Version = { type: string | undefined; fields: Field[]; ran: Ran | undefined; answer: unknown };

function versionOf(request: Schema, post: Post, path: string, { document }: Around): Version {
  const { schemas } = document.components;
  // Parameters are shown whole, whatever else has their shapes.
  const showing: Showing = { shapes: schemas, shown: (name) => schemas[name]!.type === 'object' };
  const schema = schemas[nameOf(request.$ref)!] ?? request;
  const type = path.includes('/submit/') ? String(schema.title) : undefined;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const key = type?.replace('ACTIVITY_TYPE_', '') ?? post.operationId;
  const body = contentOf(post.requestBody).examples?.[key]?.value as Ran['body'] | undefined;
  return {
    type,
    fields: fieldsOf(type === undefined ? schema : properties.parameters!, showing, type === undefined ? '' : 'parameters'),
    // An operation is shown before a test has recorded its example.
    ran: body && { path, name: post.operationId, type, body },
    answer: contentOf(post.responses[200]).examples?.[key]?.value,
  };
}

const answered = (answer: unknown): string =>
  answer === undefined ? '' : folded('Example of an answer', pre(JSON.stringify(answer, null, 2)));

function older({ type, fields, ran, answer }: Version): string {
  const example = ran === undefined ? '' : folded('Example of a body', pre(JSON.stringify(ran.body, null, 2)));
  return folded(`Older: ${code(type!)}`, fieldTable(fields) + example + answered(answer));
}

/** The answer's fields. What all activities have is at its shape. */
function answerFields(post: Post, { document, shared }: Around): Field[] {
  const { schemas } = document.components;
  return fieldsOf(contentOf(post.responses[200]).schema, {
    shapes: schemas,
    shown: (name) => schemas[name]!.type === 'object' && !shared.has(name),
  });
}

export function operation(path: string, post: Post, around: Around, page: string): { html: string; entry: Entry } {
  const [newest, ...rest] = requestsOf(post).map((request) => versionOf(request, post, path, around));
  const { operationId: name, summary, description, parameters = [] } = post;
  const headers = parameters.map(
    (one) => `<li>${code(one.name)}${one.required ? ' <b>required</b>' : ''}: ${inline(one.description, () => undefined)}</li>`,
  );
  const answer = answerFields(post, around);
  const envelope =
    newest!.type === undefined
      ? ''
      : `<p>The body has ${code(`"type": "${newest!.type}"`)}, the members of ${link(`${AT}/activities#the-body`, 'every activity')}, and these:</p>`;
  const html = [
    `<section>${heading(2, name, code(name))}`,
    `<p>${inline(summary, () => undefined)}.</p>`,
    `<p>${code(`POST ${path}`)}</p>`,
    `<p>${inline(description, () => undefined)}</p>`,
    headers.length > 0 ? `<h3>Headers</h3><ul>${headers.join('')}</ul>` : '',
    '<h3>Parameters</h3>',
    envelope,
    fieldTable(newest!.fields, name),
    '<h3>Examples</h3>',
    newest!.ran === undefined ? '<p>None yet.</p>' : commands(newest!.ran, post, around.methods),
    answered(newest!.answer),
    '<h3>Answer</h3>',
    folded('Fields of the answer', fieldTable(answer)),
    '<h3>Errors</h3>',
    errorsOf(post),
    ...(rest.length > 0 ? ['<h3>Older versions</h3><p>They stay valid.</p>', ...rest.map(older)] : []),
    '</section>',
  ];
  const words = [
    summary,
    description,
    ...[newest!, ...rest].map(({ type = '' }) => type),
    ...newest!.fields.map((one) => one.path),
  ];
  return {
    html: html.filter((one) => one !== '').join('\n'),
    entry: { href: `${page}#${name}`, title: name, place: 'Operations', text: words.join(' ') },
  };
}
