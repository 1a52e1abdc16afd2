import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, consoleUrl, readConfig, withoutSecrets } from '../../src/config.ts';

const BASE_URL = 'https://sign.example.com';
const APART = { BASE_URL, CONSOLE_PORT: '8092', CONSOLE_URL: 'https://console.sign.example.com' };
const LOGINS = {
  CONSOLE_AUTH_PROXY: '5B1F7A52-6B1C-4A06-9D3F-2F7F0C6F8A11',
  CONSOLE_OIDC_URL: 'https://login.example.com/authorize?client_id=console&prompt=login',
};
const urlOf = (env: Record<string, string>) => consoleUrl(readConfig(env));

test('the console is at the address of the service, or at one of its own', () => {
  assert.equal(urlOf({ HOST: '127.0.0.1' }), 'http://localhost:8080/console/');
  assert.equal(urlOf({ BASE_URL }), 'https://sign.example.com/console/');
  assert.equal(urlOf({ CONSOLE_PORT: '8092' }), 'http://localhost:8092/console/');
  assert.equal(urlOf(APART), 'https://console.sign.example.com/console/');
  assert.equal(urlOf({ ...APART, CONSOLE_URL: 'https://sign.example.com:8443/' }), 'https://sign.example.com:8443/console/');
  // A browser lets pages with https ask its own machine without.
  assert.equal(urlOf({ CONSOLE_PORT: '8092', CONSOLE_URL: 'https://localhost:8443' }), 'https://localhost:8443/console/');
  const { CONSOLE, CONSOLE_HOST, CONSOLE_PORT, CONSOLE_URL } = withoutSecrets(readConfig({ ...APART, CONSOLE_HOST: '10.0.0.1' }));
  assert.deepEqual([CONSOLE, CONSOLE_HOST, CONSOLE_PORT, CONSOLE_URL], ['on', '10.0.0.1', 8092, APART.CONSOLE_URL]);
  const off = { isOn: false, at: undefined, url: undefined, authProxy: undefined, oidcUrl: undefined };
  assert.deepEqual(readConfig({ ...APART, ...LOGINS, CONSOLE: 'off' }).console, off);
});

test('ways in without a key are an auth proxy and a provider', () => {
  const { authProxy, oidcUrl } = readConfig({ BASE_URL, ...LOGINS }).console;
  assert.deepEqual([authProxy, oidcUrl], [LOGINS.CONSOLE_AUTH_PROXY.toLowerCase(), LOGINS.CONSOLE_OIDC_URL]);
  const near = 'http://localhost:9010/auth?client_id=page';
  assert.equal(readConfig({ CONSOLE_OIDC_URL: near }).console.oidcUrl, near);
});

test('an address at which passkeys of the service cannot be used is refused, and other mistakes', () => {
  const rows: readonly (readonly [Record<string, string>, RegExp])[] = [
    [
      { ...APART, CONSOLE_URL: 'https://console.example.com' },
      /CONSOLE_URL must have the host of BASE_URL, sign\.example\.com, or one below it.*a page of console\.example\.com cannot use them/,
    ],
    [{ ...APART, CONSOLE_URL: 'https://example.com' }, /a page of example\.com cannot use them/],
    [{ ...APART, CONSOLE_URL: 'https://notsign.example.com' }, /cannot use them/],
    // Browsers refuse passkeys of a domain without a dot on a page of a host below it.
    [
      { CONSOLE_PORT: '8092', CONSOLE_URL: 'http://console.localhost:8092' },
      /must have the host of BASE_URL, localhost: passkeys belong to localhost, and a page of console\.localhost cannot/,
    ],
    [{ ...APART, BASE_URL: 'https://sign', CONSOLE_URL: 'https://console.sign' }, /a page of console\.sign cannot use them/],
    [{ ...APART, BASE_URL: 'http://sign.example.com' }, /CONSOLE_URL has https and BASE_URL, http:\S+, has none: browsers block/],
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
    [{ CONSOLE_AUTH_PROXY: 'config' }, /CONSOLE_AUTH_PROXY must be a UUID/],
    [{ ...LOGINS, AUTH_PROXY_PORT: '9091' }, /CONSOLE_AUTH_PROXY needs the auth proxy on PORT/],
    [
      { CONSOLE_OIDC_URL: 'https://login.example.com/authorize' },
      /CONSOLE_OIDC_URL must be the authorization endpoint.*client’s id/,
    ],
    [{ CONSOLE_OIDC_URL: `${LOGINS.CONSOLE_OIDC_URL}#a` }, /must be the authorization endpoint/],
    [{ CONSOLE_OIDC_URL: 'http://login.example.com/a?client_id=b' }, /must start with https/],
    [{ CONSOLE_OIDC_URL: 'https://u:hidden@login.example.com/a?client_id=b' }, /^(?!.*hidden).*no password/],
    [{ CONSOLE_OIDC_URL: `${LOGINS.CONSOLE_OIDC_URL}&client_secret=hidden` }, /^(?!.*hidden).*must not have client_secret/],
    [{ CONSOLE_OIDC_URL: `${LOGINS.CONSOLE_OIDC_URL}&nonce=1` }, /must not have nonce/],
    [{ CONSOLE: 'no' }, /CONSOLE must be on or off, not "no"/],
  ];
  for (const [env, message] of rows)
    assert.throws(
      () => readConfig(env),
      (error: Error) => error instanceof ConfigError && message.test(error.message),
      `${message}`,
    );
});
