/** The pages at /docs, as the service sends them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CHAPTERS } from '../../reference/build/chapters.ts';
import { seen } from '../../reference/build/html.ts';
import { find, type Index } from '../../reference/page/find.ts';
import { BESIDE, put, ROOT } from '../../scripts/bundle-place.ts';
import { makeReference } from '../../scripts/bundle-reference.ts';
import { REFERENCE_FILE } from '../../src/app/built-pages.ts';
import { BUNDLES } from '../../src/app/bundled.ts';
import { reference, referenceIn } from '../../src/app/reference.ts';
import { temporaryFolder, write } from '../scripts/setup.ts';
import { type Instance, startInstance } from '../support/instance.ts';

type Json = { [key: string]: unknown };
const json = (name: string): Json => JSON.parse(readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8'));

let instance: Instance;
let files: Readonly<Record<string, string>>;
let pages: [path: string, html: string][];

before(async () => {
  await makeReference(ROOT, BESIDE, put);
  files = referenceIn(ROOT)!;
  pages = Object.entries(files).filter(([, text]) => text.startsWith('<!doctype html>'));
  instance = await startInstance();
});
after(() => instance?.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${instance.url}${path}`, { headers });
const packed = (texts: readonly string[]) => texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
const kilo = (bytes: number) => Math.round(bytes / 1000);

test('every page is served packed, with a strict policy and a tag for each form', async () => {
  for (const path of [
    '/docs',
    '/docs/errors',
    '/docs/login/otp',
    '/docs/api/wallets',
    '/docs/reference.css',
    '/docs/reference.js',
    '/docs/search.json',
  ]) {
    const plain = await get(path, { 'accept-encoding': 'identity' });
    const zipped = await get(path, { 'accept-encoding': 'br, gzip;q=0.5' });
    assert.equal(plain.status, 200, path);
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(zipped.headers.get('content-encoding'), 'gzip');
    assert.equal(await plain.text(), files[path]);
    assert.equal(await zipped.text(), files[path]);
    const tags = [plain, zipped].map((one) => one.headers.get('etag')!);
    assert.notEqual(tags[0], tags[1]);
    for (const [at, encoding] of ['gzip;q=0', 'gzip'].entries()) {
      const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': tags[at]! });
      assert.equal(again.status, 304, `${path} ${encoding}`);
    }
    const policy = zipped.headers.get('content-security-policy')!;
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "require-trusted-types-for 'script'",
      "frame-ancestors 'none'",
    ])
      assert.ok(policy.includes(part), part);
    assert.doesNotMatch(policy, /unsafe|https?:|data:|\*/);
  }
  assert.equal((await get('/docs/nothing')).status, 404);
  assert.equal((await fetch(`${instance.url}/docs`, { method: 'POST' })).status, 405);
});

test('pages need nothing of elsewhere, and stay within their sizes', () => {
  for (const [path, html] of pages) {
    assert.doesNotMatch(html, /<script(?! src="\/docs\/reference\.js" defer>)|<style| style=| on\w+=|<img|<iframe/, path);
    for (const [, href] of html.matchAll(/<link [^>]*href="([^"]*)"/g)) assert.equal(href, '/docs/reference.css');
  }
  const texts = (wanted: (path: string) => boolean) =>
    Object.entries(files).flatMap(([path, text]) => (wanted(path) ? [text] : []));
  const isApi = (path: string) => path.startsWith('/docs/api/');
  const first = packed([files['/docs']!, files['/docs/reference.css']!, files['/docs/reference.js']!]);
  const rest = packed(texts((path) => !isApi(path)));
  const api = packed(texts(isApi));
  assert.ok(first <= 150_000, `the first view has ${kilo(first)} kB`);
  assert.ok(rest <= 400_000, `everything but the operations has ${kilo(rest)} kB`);
  assert.ok(api <= 400_000, `the operations have ${kilo(api)} kB`);
});

test('every link of the reference leads to a place that is there', () => {
  const ids = new Map(pages.map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]));
  const served = new Set([...ids.keys(), '/openapi.json', '/auth-proxy.openapi.json']);
  const broken = pages.flatMap(([path, html]) =>
    [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].flatMap(([, href]) => {
      if (/^https?:/.test(href!)) return [];
      const [to, id] = href!.split('#') as [string, string?];
      const page = to === '' ? path : to;
      return served.has(page) && (id === undefined || ids.get(page)!.has(id)) ? [] : [`${path}: ${href}`];
    }),
  );
  assert.deepEqual([...new Set(broken)], []);
  for (const [path, html] of pages)
    assert.equal([...html.matchAll(/ id="/g)].length, ids.get(path)!.size, `${path} has an id twice`);
  const index: Index = JSON.parse(files['/docs/search.json']!);
  for (const [href] of index.places) {
    const [page, id] = href.split('#') as [string, string?];
    assert.ok(ids.get(page)!.has(id ?? [...ids.get(page)!][0]!) || id === undefined, href);
  }
});

test('each item of a numbered list is an item, and a picture leaves no words behind', () => {
  const list = (items: number) => new RegExp(`<ol>(?:<li>(?:(?!</?li>).)*</li>\\s*){${items}}</ol>`);
  assert.match(files['/docs/approving']!, list(4));
  assert.match(files['/docs/policies-as-files']!, list(7));
  for (const page of ['/docs/start', '/docs/console'])
    assert.doesNotMatch(files[page]!, /requests (?:that wait )?on the left|<p><\/p>/);
});

/** Without white space and the marks of Markdown. */
const bare = (text: string) =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\\\|/g, '|')
    .replace(/[\s`*]/g, '');

test('no chapter, heading, row or line of code is left out', () => {
  let counted = 0;
  for (const [file, place, renamed] of CHAPTERS) {
    const text = seen(files[`/docs/${place}`]!).replace(/[\s`*]/g, '');
    const has = (what: string) => {
      counted++;
      assert.ok(text.includes(bare(what)), `${file}: ${what}`);
    };
    let inCode = false;
    for (const line of readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').split('\n')) {
      if (/^\s*```/.test(line)) inCode = !inCode;
      else if (inCode) assert.ok(text.includes(line.replace(/[\s`*]/g, '')), `${file}: ${line}`);
      else if (/^# /.test(line)) has(renamed ?? line.slice(2));
      else if (/^#+ /.test(line)) has(line.replace(/^#+ /, ''));
      else if (/^\|(?![-|]+$)/.test(line))
        for (const cell of line
          .trim()
          .slice(1, -1)
          .split(/(?<!\\)\|/))
          has(cell);
    }
  }
  assert.ok(counted > 3000, `${counted} headings and cells`);
});

type Named = Record<string, { value: unknown }>;
type Content = { content: Record<string, { schema: Json; examples?: Named }>; description?: string };
type Api = { paths: Record<string, { post: Json & { operationId: string } }>; components: { schemas: Record<string, Json> } };

/** Every member of a schema with its description, and every value of a list of values. */
function fieldsIn(value: unknown): { name: string; description: string | undefined }[] {
  if (Array.isArray(value)) return value.flatMap(fieldsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    if (key === 'example') return [];
    if (key === 'enum') return (inside as string[]).map((name) => ({ name, description: undefined }));
    if (key !== 'properties') return fieldsIn(inside);
    return Object.entries(inside as Record<string, Json>).flatMap(([name, schema]) => [
      { name, description: String(schema.description) },
      ...fieldsIn(schema),
    ]);
  });
}

/** The number of members that a request has, with those of the shapes in it. */
function countIn(value: unknown, shapes: Record<string, Json>): number {
  if (typeof value !== 'object' || value === null) return 0;
  const { $ref, properties, items, allOf, additionalProperties } = value as Json;
  if (typeof $ref === 'string') return countIn(shapes[$ref.split('/').at(-1)!], shapes);
  const inside = [items, additionalProperties, ...((allOf as Json[] | undefined) ?? [])];
  const members = Object.values((properties ?? {}) as Json);
  return members.length + [...members, ...inside].reduce<number>((sum, one) => sum + countIn(one, shapes), 0);
}

const ENVELOPE = new Set(['type', 'timestampMs', 'organizationId', 'parameters', 'generateAppProofs']);

test('no operation, version, field, example or error is left out', () => {
  const api = pages.filter(([path]) => path.startsWith('/docs/api/'));
  const rows = api.flatMap(([, html]) => [
    ...html.matchAll(/<tr[^>]*><td><code>([^<]*)<\/code>.*?<\/td><td>.*?<\/td><td>(.*?)<\/td><\/tr>/g),
  ]);
  const told = new Set(rows.map(([, path, about]) => `${path!.split('.').at(-1)!.replace('[]', '')}: ${bare(seen(about!))}`));
  const values = new Set(api.flatMap(([, html]) => [...html.matchAll(/<code>([^<]*)<\/code>/g)].map(([, value]) => value)));
  const operations = api.flatMap(([, html]) => html.split('<section>').slice(1));
  let [fields, examples] = [0, 0];
  for (const name of ['public-api', 'auth-proxy']) {
    const { paths, components } = json(name) as unknown as Api;
    for (const [shape, schema] of Object.entries(components.schemas))
      for (const field of fieldsIn(schema)) {
        if (typeof schema.title === 'string' && ENVELOPE.has(field.name)) continue;
        if (field.description === undefined) assert.ok(values.has(field.name), `${shape}: ${field.name}`);
        else assert.ok(told.has(`${field.name}: ${bare(field.description)}`), `${shape}: ${field.name}`);
        fields++;
      }
    for (const [path, { post }] of Object.entries(paths)) {
      const html = operations.find((one) => one.includes(`<code>POST ${path}</code>`))!;
      assert.ok(html, path);
      const body = (post.requestBody as Content).content['application/json']!;
      const responses = post.responses as Record<string, Content>;
      for (const { description = '' } of Object.values(responses))
        for (const [, code] of description.matchAll(/^- `(\w+)`/gm))
          assert.ok(html.includes(`href="/docs/errors#${code!.toLowerCase()}"`), `${path} ${code}`);
      const versions = ((body.schema.oneOf as Json[] | undefined) ?? [body.schema]).map(
        ({ $ref }) => components.schemas[String($ref).split('/').at(-1)!]!,
      );
      const asked = versions.map(({ properties }) =>
        path.includes('/submit/') ? (properties as Json).parameters : { properties },
      );
      const ids = html.split(` id="${post.operationId}.`).length - 1;
      assert.equal(ids, countIn(asked[0], components.schemas), `${path} has another number of parameters`);
      for (const { title } of versions.slice(1)) assert.ok(html.includes(`<code>${title}</code>`), String(title));
      const times = (text: string) => text.replace(/"timestampMs":(?:"\d+"|String\(Date\.now\(\)\)|"\$\(date\+%s\)000")/g, '');
      const text = times(seen(html).replace(/\s/g, ''));
      for (const { examples: all = {} } of [body, responses[200]!.content['application/json']!])
        for (const { value } of Object.values(all)) {
          assert.ok(text.includes(times(JSON.stringify(value).replace(/\s/g, ''))), path);
          examples++;
        }
    }
  }
  assert.ok(fields > 3000 && examples > 450, `${fields} fields, ${examples} examples`);
});

/** From a heading's place to the next heading of its level or a higher one. */
function sectionAt(href: string): string {
  const [page, id] = href.split('#') as [string, string?];
  const html = files[page]!;
  if (id === undefined) return seen(html);
  const from = html.indexOf(` id="${id}"`);
  const [, level] = /<h(\d)$/.exec(html.slice(0, from))!;
  const after = html.slice(from);
  const end = after.search(new RegExp(`<h[1-${level}] `));
  return seen(end < 0 ? after : after.slice(0, end));
}

test('one click from the first page leads to the answer of each question of new users', () => {
  for (const [question, ...answer] of [
    ['Why was I refused?', './countersign why ACTIVITY_ID', 'the text itself names the cause'],
    ['How do I let a user sign at most 1 ETH a day?', '"threshold": "1", "window": { "rolling": { "duration": "86400" } }'],
    ['What does FINGERPRINT mean?', 'is sha256: and the SHA-256 of its body', '$FINGERPRINT'],
    ['How do I rotate an API key?', 'submit create_api_keys', 'submit delete_api_keys'],
    ['Which bytes does a stamp cover?', 'the exact bytes of the body', 'Neither the path nor a header is signed'],
    [
      'What does a 429 want of me?',
      'Retry-After',
      'wait that long, then send the same body again',
      'The same body is refused again',
    ],
  ]) {
    const links = [...files['/docs']!.matchAll(/<li><a href="([^"]*)">([^<]*)<\/a>/g)];
    const href = links.find(([, , words]) => words === question)?.[1];
    assert.ok(href, question);
    const section = sectionAt(href);
    for (const part of answer) assert.ok(section.includes(part), `${question} ${part}: ${section}`);
  }
});

test('a search finds what new users ask', () => {
  const index: Index = JSON.parse(files['/docs/search.json']!);
  for (const [asked, wanted] of [
    ['why was I refused', '/docs/errors#why-was-i-refused'],
    ['sign 1 ETH a day', '/docs/permissions#a-user-with-1-eth-a-day'],
    ['FINGERPRINT', '/docs/activities#the-fingerprint'],
    ['rotate API key', '/docs/permissions#rotating-an-api-key'],
    ['which bytes stamp', '/docs/stamps#the-bytes'],
    ['429', '/docs/errors#a-429'],
    ['create_wallet', '/docs/api/wallets#create_wallet'],
    ['CREATE_USERS_V2', '/docs/api/users#create_users'],
    ['mnemonicLength', '/docs/api/wallets#create_wallet'],
    ['VELOCITY_NOT_READABLE', '/docs/errors#velocity_not_readable'],
    ['webhook signature', '/docs/webhooks'],
  ] as const) {
    const found = find(index, asked)
      .slice(0, 5)
      .map(({ href }) => href);
    assert.ok(
      found.some((href) => href === wanted || href.startsWith(`${wanted}#`)),
      `${asked}: ${found.join(' ')}`,
    );
  }
  assert.deepEqual(find(index, ' '), []);
  assert.deepEqual(find(index, 'xyzzy'), []);
});

test('without a build, and after a cut, the answer says what to run', () => {
  const folder = temporaryFolder();
  write(`${folder}/src/one.ts`, '1');
  const says = () =>
    assert.throws(() => reference(() => referenceIn(folder))('/docs'), { code: 'UNAVAILABLE', message: /npm run bundle/ });
  says();
  for (const text of ['{', '{}', '[]', 'null', '{"sources":[],"madeOf":"","digest":"00","files":{"/docs":"<h1>other</h1>"}}']) {
    write(`${folder}/${BUNDLES}/${REFERENCE_FILE}`, text);
    says();
  }
});
