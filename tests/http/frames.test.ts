import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeFrames } from '../../scripts/bundle-frames.ts';
import { BESIDE, put, ROOT } from '../../scripts/bundle-place.ts';
import { BUNDLES } from '../../src/app/bundled.ts';
import { framePages } from '../../src/app/frames.ts';
import { FRAMES_FILE, framesIn } from '../../src/app/frames-built.ts';
import { ApiError } from '../../src/base/errors.ts';
import { temporaryFolder, write } from '../scripts/setup.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { publishedKey } from '../support/published.ts';

let instance: Instance;

before(async () => {
  await makeFrames(ROOT, BESIDE, put);
  instance = await startInstance({ FRAMES: 'export,import,auth,sign', FRAMES_ALLOWED_ORIGINS: 'https://app.example.com' });
});
after(() => instance?.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${instance.url}${path}`, { headers });

test('each page names the signer and the apps, allows no other source, and is small', async () => {
  const signer = await publishedKey(instance.url, 'bundle-signer');
  const style = Buffer.from(await (await get('/frames/frames.css')).arrayBuffer());
  for (const name of ['export', 'import', 'auth', 'recovery', 'sign']) {
    const answer = await get(`/frames/${name}`);
    const html = await answer.text();
    assert.equal(answer.status, 200, html);
    assert.ok(html.includes(`data-signers="${signer}" data-origins="https://app.example.com"`), html);
    assert.doesNotMatch(html, /<script>| style=| on\w+=/);
    const policy = answer.headers.get('content-security-policy')!;
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      'frame-ancestors https://app.example.com',
    ])
      assert.ok(policy.includes(part), part);
    assert.equal(answer.headers.get('x-frame-options'), null);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(answer.headers.get('origin-agent-cluster'), '?1');
    const [, script] = /<script src="([a-z]+\.js)" defer>/.exec(html)!;
    const code = Buffer.from(await (await get(`/frames/${script}`)).arrayBuffer());
    const size = gzipSync(Buffer.concat([Buffer.from(html), code, style])).length;
    assert.ok(size < 60_000, `${name} has ${size} bytes`);
    assert.doesNotMatch(code.toString(), /localStorage|sessionStorage|innerHTML|console\.(?:log|info|debug)|document\.cookie/);
  }
});

test('a page is sent again only if its content or a signer has changed', async () => {
  const etag = (await get('/frames/export')).headers.get('etag')!;
  assert.match(etag, /^"[\w-]{43}"$/);
  assert.equal((await get('/frames/export', { 'if-none-match': etag })).status, 304);
  const pages = (signers: string[]) =>
    framePages({ pages: ['export'], origins: ['https://app.example.com'] }, signers, framesIn(ROOT));
  const texts = [['04aa'], ['04aa', '04bb']].map((signers) => pages(signers)[0]!.text());
  assert.notEqual(texts[0], texts[1], 'a second signer makes another page');
  assert.ok(texts[1]!.includes('data-signers="04aa 04bb"'));
});

test('frames that are off are not there', async () => {
  assert.deepEqual(framePages({ pages: [], origins: [] }, [], undefined), []);
  const answer = await get('/frames/other');
  assert.equal(answer.status, 404);
  assert.match(((await answer.json()) as { message: string }).message, /frames are off, or have their own port/);
});

test('frames of other sources, or that were cut off, are none: the answer says what to run', () => {
  const folder = temporaryFolder();
  const file = `${folder}/${BUNDLES}/${FRAMES_FILE}`;
  write(`${folder}/src/one.ts`, '1');
  assert.equal(framesIn(folder), undefined);
  for (const text of ['{', '{}', '{"sources":["src/one.ts"],"madeOf":"00","digest":"00","files":{}}', '[]', 'null']) {
    write(file, text);
    assert.equal(framesIn(folder), undefined, text);
  }
  const [page] = framePages({ pages: ['export'], origins: ['https://a.example'] }, [], undefined);
  assert.throws(
    () => page!.text(),
    (error: unknown) => error instanceof ApiError && error.code === 'UNAVAILABLE' && /npm run bundle/.test(error.message),
  );
});
