/** The static site, built as users build it. Its search runs from a folder, and below a path. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join, posix } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { siteParts } from '../../reference/build/site.ts';
import { makeSite } from '../../scripts/site.ts';
import { temporaryFolder } from '../scripts/setup.ts';
import { type Browser, chromiumProgram, NO_CHROMIUM, startBrowser } from '../support/chromium.ts';
import { documents } from '../support/documents.ts';

const TYPES: Record<string, string> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
const folder = join(temporaryFolder(), 'site');
const server = createServer((request, response) => {
  const path = join(folder, decodeURIComponent(new URL(request.url!, 'http://x').pathname).replace(/^\/below\/a\/path\//, ''));
  if (!existsSync(path)) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(readFileSync(path));
});
let files: Map<string, string>;

before(async () => {
  await makeSite(folder);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  files = new Map(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')];
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

test('every link leads to a file and a place that are there, and none to another machine but by a click', () => {
  const ids = new Map(
    [...files].map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]),
  );
  let counted = 0;
  const broken = [...files].flatMap(([from, html]) =>
    !from.endsWith('.html')
      ? []
      : [...html.matchAll(/<(a|link|script|img) [^>]*(?:href|src)="([^"]*)"/g)].flatMap(([, tag, to]) => {
          if (/^https?:/.test(to!)) return tag === 'a' ? [] : [`${from}: ${to}`];
          counted += 1;
          const [path, id] = to!.split('#') as [string, string?];
          const page = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), path));
          return files.has(page) && (id === undefined || ids.get(page)!.has(id)) ? [] : [`${from}: ${to}`];
        }),
  );
  assert.deepEqual([...new Set(broken)], []);
  assert.ok(counted > 5000, `${counted} links`);
  const console = files.get('console.html')!;
  assert.equal([...console.matchAll(/<img src="pictures\/[\w-]+\.png" alt="[^"]{20,}">/g)].length, 6);
  const pages = siteParts(documents).flatMap(({ chapters }) => chapters.map(([, place]) => `${place}.html`));
  assert.equal(new Set(pages).size, documents.length);
  assert.deepEqual(
    pages.filter((page) => !files.has(page)),
    [],
  );
});

test('a folder that is no site is left as it is, and a site is replaced', async () => {
  const other = temporaryFolder();
  mkdirSync(join(other, 'kept'));
  await assert.rejects(() => makeSite(other), /is not empty, and is no site: name another folder/);
  assert.deepEqual(readdirSync(other), ['kept']);
  writeFileSync(join(folder, 'old.html'), '');
  await makeSite(folder);
  assert.ok(!existsSync(join(folder, 'old.html')) && existsSync(join(folder, 'index.html')));
  assert.deepEqual(readdirSync(dirname(folder)), ['site']);
});

test('the search works from a folder and below a path, and asks no other machine', {
  skip: chromiumProgram() === undefined && NO_CHROMIUM,
}, async () => {
  const browser: Browser = await startBrowser();
  try {
    const { port } = server.address() as AddressInfo;
    for (const root of [`${pathToFileURL(folder)}/`, `http://127.0.0.1:${port}/below/a/path/`]) {
      const page = await browser.page('about:blank');
      const elsewhere: string[] = [];
      page.on('request', (request) => void (request.url().startsWith(root) || elsewhere.push(request.url())));
      page.on('pageerror', ({ message }) => void elsewhere.push(message));
      // A page in a folder, from which a search leads to one above it.
      await page.goto(`${root}login/otp.html`);
      await page.keyboard.press('/');
      await page.keyboard.type('rotate api key');
      await page.locator('#found li').first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${root}permissions.html#rotating-an-api-key`);
      await page.getByRole('link', { name: 'A treasury with two approvals' }).first().click();
      await page.waitForURL(`${root}guides/treasury.html`);
      assert.deepEqual(elsewhere, []);
      await page.close();
    }
  } finally {
    await browser.close();
  }
});
