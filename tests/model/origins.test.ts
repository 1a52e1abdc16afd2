import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passkeyOrigins } from '../../src/model/organization.ts';
import { normalOrigin, parseOrigins, writeOrigins } from '../../src/model/origins.ts';
import fc from '../support/properties.ts';

const ANDROID = `android:apk-key-hash:${'A-_z'.repeat(10)}abc`;

test('an origin is written as browsers write it', () => {
  for (const [text, origin] of [
    ['https://example.com', 'https://example.com'],
    ['https://EXAMPLE.com:443/', 'https://example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://app.localhost', 'http://app.localhost'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
    [ANDROID, ANDROID],
  ] as const)
    assert.equal(normalOrigin(text), origin, text);
});

test('a text that is no origin is refused', () => {
  for (const text of [
    '',
    'example.com',
    'http://example.com',
    'http://localhost.example.com',
    'https://example.com/path',
    'https://example.com?a',
    'https://example.com/?',
    'https://example.com#a',
    'https://user@example.com',
    'https://*.example.com',
    'https://',
    'https://exa mple.com',
    'https://example.com\n',
    ' https://example.com',
    'https://example.com,https://example.org',
    'ftp://example.com',
    'javascript:alert(1)',
    'null',
    'android:apk-key-hash:short',
    `${ANDROID}x`,
  ])
    assert.equal(normalOrigin(text), undefined, text);
});

test('a list that was written is read back', () => {
  const origin = fc.tuple(fc.domain(), fc.option(fc.integer({ min: 1, max: 65_535 }))).map(([host, port]) => {
    return normalOrigin(`https://${host}${port === null ? '' : `:${port}`}`)!;
  });
  fc.assert(
    fc.property(fc.uniqueArray(origin, { minLength: 1, maxLength: 10 }), (origins) => {
      assert.deepEqual(parseOrigins(writeOrigins([...origins, origins[0]!])), { origins, wrong: undefined });
    }),
  );
});

test('an organization without the feature allows any origin; a stored text that is none allows nothing', () => {
  const of = (value: string) => passkeyOrigins({ features: { FEATURE_NAME_WEBAUTHN_ORIGINS: value } });
  assert.equal(passkeyOrigins({ features: {} }), undefined);
  assert.deepEqual(of('https://example.com'), ['https://example.com']);
  assert.deepEqual(of('anything, https://example.com  https://b.example'), ['https://example.com', 'https://b.example']);
  for (const value of ['', 'anything']) assert.deepEqual(of(value), []);
});
