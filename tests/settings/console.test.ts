import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, consoleUrl, readConfig, withoutSecrets } from '../../src/config.ts';

const BASE_URL = 'https://sign.example.com';
const APART = { BASE_URL, CONSOLE_PORT: '8092', CONSOLE_URL: 'https://console.sign.example.com' };
const urlOf = (env: Record<string, string>) => consoleUrl(readConfig(env));

test('the console is at the address of the service, or at one of its own', () => {
  assert.equal(urlOf({ HOST: '127.0.0.1' }), 'http://localhost:8080/console/');
  assert.equal(urlOf({ BASE_URL }), 'https://sign.example.com/console/');
  assert.equal(urlOf({ CONSOLE_PORT: '8092' }), 'http://localhost:8092/console/');
  assert.equal(
    urlOf({ CONSOLE_PORT: '8092', CONSOLE_URL: 'http://console.localhost:8092' }),
    'http://console.localhost:8092/console/',
  );
  assert.equal(urlOf(APART), 'https://console.sign.example.com/console/');
  assert.equal(urlOf({ ...APART, CONSOLE_URL: 'https://sign.example.com:8443/' }), 'https://sign.example.com:8443/console/');
  const { CONSOLE, CONSOLE_HOST, CONSOLE_PORT, CONSOLE_URL } = withoutSecrets(readConfig({ ...APART, CONSOLE_HOST: '10.0.0.1' }));
  assert.deepEqual([CONSOLE, CONSOLE_HOST, CONSOLE_PORT, CONSOLE_URL], ['on', '10.0.0.1', 8092, APART.CONSOLE_URL]);
  assert.deepEqual(readConfig({ ...APART, CONSOLE: 'off' }).console, { isOn: false, at: undefined, url: undefined });
});

test('an address at which passkeys of the service cannot be used is refused, and other mistakes', () => {
  const rows: readonly (readonly [Record<string, string>, RegExp])[] = [
    [
      { ...APART, CONSOLE_URL: 'https://console.example.com' },
      /CONSOLE_URL must have the host of BASE_URL, sign\.example\.com, or one below it.*a page of console\.example\.com cannot use them/,
    ],
    [{ ...APART, CONSOLE_URL: 'https://example.com' }, /a page of example\.com cannot use them/],
    [{ ...APART, CONSOLE_URL: 'https://notsign.example.com' }, /cannot use them/],
    [{ BASE_URL, CONSOLE_PORT: '8092' }, /CONSOLE_PORT needs CONSOLE_URL, which must have the host of BASE_URL/],
    [{ ...APART, CONSOLE_URL: 'http://console.sign.example.com' }, /must start with https/],
    [{ ...APART, CONSOLE_URL: 'https://console.sign.example.com/a' }, /must be an origin such as/],
    [{ ...APART, CONSOLE_URL: 'https://u:p@console.sign.example.com' }, /must be an origin such as/],
    [{ ...APART, CONSOLE_URL: 'console.sign.example.com' }, /CONSOLE_URL must be a URL/],
    [{ BASE_URL, CONSOLE_URL: APART.CONSOLE_URL }, /CONSOLE_URL needs CONSOLE_PORT/],
    [{ CONSOLE_HOST: '::1' }, /CONSOLE_HOST needs CONSOLE_PORT/],
    [{ CONSOLE_PORT: '0' }, /CONSOLE_PORT must be a whole number from 1 to 65535/],
    [{ CONSOLE_PORT: '8080' }, /CONSOLE_PORT must differ from PORT, which is 8080/],
    [{ CONSOLE_PORT: '9090', FRAMES_PORT: '9090' }, /must differ from FRAMES_PORT/],
    [{ CONSOLE: 'no' }, /CONSOLE must be on or off, not "no"/],
  ];
  for (const [env, message] of rows)
    assert.throws(
      () => readConfig(env),
      (error: Error) => error instanceof ConfigError && message.test(error.message),
      `${message}`,
    );
});
