import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig, withoutSecrets } from '../../src/config.ts';

const framesOf = (env: Record<string, string>) => readConfig(env).frames;
const APP = 'https://app.example.com';
const PUBLIC = { HOST: '0.0.0.0', BASE_URL: 'https://sign.example.com' };
const SEPARATE = { ...PUBLIC, FRAMES_PORT: '8090', FRAMES_URL: 'https://frames.example.net' };

test('a developer’s machine has frames for its own pages, and another none unless it is told of apps', () => {
  const here = ['http://localhost:*', 'http://127.0.0.1:*'];
  const three = ['export', 'import', 'auth'];
  assert.deepEqual(framesOf({}), { pages: three, origins: here, at: undefined, url: undefined });
  const elsewhere: Record<string, string>[] = [PUBLIC, { BASE_URL: PUBLIC.BASE_URL }, { HOST: PUBLIC.HOST }];
  for (const env of elsewhere) assert.deepEqual(framesOf(env), { pages: [], origins: [], at: undefined, url: undefined });
  assert.deepEqual(framesOf({ FRAMES_ALLOWED_ORIGINS: APP }).origins, [APP]);
  assert.deepEqual(framesOf({ ...SEPARATE, FRAMES_ALLOWED_ORIGINS: `${APP}, http://localhost:5173`, FRAMES: 'sign,export' }), {
    pages: ['export', 'sign'],
    origins: [APP, 'http://localhost:5173'],
    at: { host: '0.0.0.0', port: 8090 },
    url: 'https://frames.example.net',
  });
  assert.deepEqual(framesOf({ FRAMES: 'none' }).pages, []);
  const shown = withoutSecrets(readConfig({ ...SEPARATE, FRAMES_ALLOWED_ORIGINS: APP }));
  assert.deepEqual(
    [shown.FRAMES, shown.FRAMES_ALLOWED_ORIGINS, shown.FRAMES_HOST, shown.FRAMES_PORT, shown.FRAMES_URL],
    ['export,import,auth', APP, '0.0.0.0', 8090, 'https://frames.example.net'],
  );
});

test('a setting that would let frames share storage, or be embedded by any page, is refused', () => {
  const apart = { ...SEPARATE, FRAMES_ALLOWED_ORIGINS: APP };
  const rows: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ ...PUBLIC, FRAMES_ALLOWED_ORIGINS: APP }, /needs FRAMES_PORT: pages of one origin share its storage/],
    [{ ...PUBLIC, FRAMES_ALLOWED_ORIGINS: APP, FRAMES_PORT: '8090' }, /needs FRAMES_URL/],
    [{ BASE_URL: 'https://sign.example.com', FRAMES_ALLOWED_ORIGINS: APP }, /needs FRAMES_PORT/],
    [{ ...apart, FRAMES_URL: 'https://sign.example.com:8443' }, /another host than BASE_URL/],
    [{ ...apart, FRAMES_URL: 'https://SIGN.example.com./' }, /another host than BASE_URL/],
    [{ ...apart, FRAMES_URL: 'http://frames.example.net' }, /must start with https/],
    [{ ...apart, FRAMES_ALLOWED_ORIGINS: 'https://frames.example.net' }, /must not name the origin of FRAMES_URL/],
    [{ FRAMES_ALLOWED_ORIGINS: '*' }, /must name each origin, not "\*"/],
    [{ FRAMES_ALLOWED_ORIGINS: 'https://*.example.com' }, /must name each origin/],
    [{ FRAMES_ALLOWED_ORIGINS: 'http://app.example.com' }, /without https can be changed on its way/],
    [{ FRAMES_ALLOWED_ORIGINS: `${APP}/` }, /must be origins such as/],
    [{ FRAMES_ALLOWED_ORIGINS: "https://a.example;script-src 'unsafe-inline'" }, /must be origins such as/],
    [{ FRAMES_ALLOWED_ORIGINS: 'https://a.example;sandbox' }, /must be origins such as/],
    [{ FRAMES_ALLOWED_ORIGINS: 'https://a"onclick=b' }, /must be origins such as/],
    [{ FRAMES_ALLOWED_ORIGINS: 'null' }, /must be origins such as/],
    [{ FRAMES_ALLOWED_ORIGINS: Array.from({ length: 101 }, (_, i) => `https://a${i}.example`).join() }, /at most 100 origins/],
    [{ FRAMES: 'export,oauth' }, /FRAMES must be none, or some of export, import, auth, sign, separated by commas, not "oauth"/],
    [{ FRAMES_HOST: '::1' }, /FRAMES_HOST needs FRAMES_PORT/],
    [{ FRAMES_PORT: '8080' }, /FRAMES_PORT must differ from PORT, which is 8080/],
    [{ FRAMES_PORT: '9090', METRICS_PORT: '9090' }, /must differ from METRICS_PORT/],
    [{ FRAMES_PORT: '9091', AUTH_PROXY_PORT: '9091' }, /must differ from AUTH_PROXY_PORT/],
    [{ FRAMES_URL: 'frames.example.net' }, /FRAMES_URL must be a URL/],
  ];
  for (const [env, message] of rows)
    assert.throws(
      () => readConfig(env),
      (error: Error) => error instanceof ConfigError && message.test(error.message),
      `${message}`,
    );
});
