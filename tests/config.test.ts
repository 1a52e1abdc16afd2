import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDatabaseUrl } from '../src/base/database-url.ts';
import { ConfigError, readConfig, readNewRootKey, SETTINGS, withoutSecrets } from '../src/config.ts';
import { ROOT_PROVIDERS } from '../src/settings/root-key.ts';

const warningsOf = (env: Record<string, string>) => readConfig(env).warnings;

for (const [name, meant] of [
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['DATABASE_URL_FIEL', 'DATABASE_URL_FILE'],
  ['database_url', 'DATABASE_URL'],
  ['LIMIT_USER', 'LIMIT_USERS'],
  ['ROOT_KEY_PATHS', 'ROOT_KEY_PATH'],
  ['ROOT_PASPHRASE', 'ROOT_PASSPHRASE'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['DATADIR', 'DATA_DIR'],
  ['BASE_ULR', 'BASE_URL'],
  ['TRUSTED_PROXIS', 'TRUSTED_PROXIES'],
  ['ROOT_USER_PUBLICKEY', 'ROOT_USER_PUBLIC_KEY'],
  ['COUNTERSIGN_DATA_DIR', 'DATA_DIR'],
  ['COUNTERSIGN_HOST', 'HOST'],
] as const) {
  test(`${name} is warned of, with ${meant}`, () => {
    const secret = 'the value may be a secret';
    assert.deepEqual(warningsOf({ [name]: secret }), [`${name} is set, but is not a setting: did you mean ${meant}?`]);
    assert.deepEqual(warningsOf({ [name]: '' }), []);
  });
}

test('a name that begins as ours do and is near to none is warned of too', () => {
  for (const name of [
    'DATABASE_HOST',
    'LIMIT_REQUESTS',
    'ROOT_KEY_ALGORITHM',
    'ROOT_USER_NAME',
    'TRUST_PROXY',
    'COUNTERSIGN_COLOUR',
  ])
    assert.deepEqual(warningsOf({ [name]: '1' }), [`${name} is set, but is not a setting: see docs/operating/settings.md`]);
});

test('a chain that is set by its name is told the form of its setting', () => {
  for (const name of ['RPC_URL_ETHEREUM', 'RPC_URL_BASE', 'COUNTERSIGN_RPC_URL_POLYGON'])
    assert.deepEqual(warningsOf({ [name]: 'https://key.example' }), [
      `${name} is set, but is not a setting: a chain is named by its chain id, such as RPC_URL_EIP155_1 for Ethereum, or RPC_URL_SOLANA_MAINNET`,
    ]);
});

test('what belongs to others is not warned of', () => {
  const foreign = `PATH HOME HOST_NAME HOSTNAME PORTAGE PORTS USER TERM SHELL LANG LOGNAME LOG_FILE NODE_ENV NODE_OPTIONS TMPDIR PWD
    PGHOST PGDATABASE PGPASSWORD DB_URL REDIS_URL TEST_DATABASE_URL MYSQL_ROOT_PASSWORD ROOT_DIR ROOT XDG_DATA_DIRS BASE_DIR BASEDIR
    npm_config_user_agent npm_package_name DATABASE_SERVICE_HOST DATABASE_SERVICE_PORT DATABASE_SERVICE_PORT_HTTP DATABASE_PORT
    DATABASE_PORT_5432_TCP DATABASE_PORT_5432_TCP_ADDR COUNTERSIGN_SERVICE_HOST COUNTERSIGN_PORT COUNTERSIGN_PORT_8080_TCP_PROTO`;
  assert.deepEqual(warningsOf(Object.fromEntries(foreign.split(/\s+/).map((name) => [name, 'x']))), []);
});

test('rates are requests a second and at once, or off', () => {
  const rates = (env: Record<string, string>) => readConfig(env).rates;
  const off = { organization: undefined, subOrganization: undefined, user: undefined };
  assert.deepEqual(rates({}), { ...off, unstamped: { perSecond: 10, burst: 100 } });
  assert.deepEqual(rates({ RATE_UNSTAMPED: 'off' }), { ...off, unstamped: undefined });
  const set = { RATE_UNSTAMPED: '0.5', RATE_USER: '3/1', RATE_ORGANIZATION: '2000/5000', RATE_SUB_ORGANIZATION: '0.001/7' };
  assert.deepEqual(rates(set), {
    unstamped: { perSecond: 0.5, burst: 5 },
    user: { perSecond: 3, burst: 1 },
    organization: { perSecond: 2000, burst: 5000 },
    subOrganization: { perSecond: 0.001, burst: 7 },
  });
  const shown = withoutSecrets(readConfig({ RATE_USER: '3' }));
  assert.deepEqual([shown.RATE_UNSTAMPED, shown.RATE_USER, shown.RATE_ORGANIZATION], ['10/100', '3/30', 'off']);
  for (const text of [
    '0',
    '0/10',
    '10/0',
    '-1',
    '1e3',
    'on',
    '10/',
    '/10',
    '10/1.5',
    '0.0001',
    '9999999',
    '10 / 100',
    'Infinity',
  ])
    assert.throws(
      () => readConfig({ RATE_USER: text }),
      /^ConfigError: RATE_USER must be requests per second and the size of a burst, such as 10\/100, or off/,
      text,
    );
  assert.deepEqual(warningsOf({ RATE_USERS: '1' }), ['RATE_USERS is set, but is not a setting: did you mean RATE_USER?']);
});

test('codes that everybody knows are off, and a start with them warns', () => {
  assert.equal(readConfig({}).otpSandbox, false);
  assert.equal(readConfig({ OTP_SANDBOX: '1' }).otpSandbox, true);
  assert.match(warningsOf({ OTP_SANDBOX: '1' }).join(), /^OTP_SANDBOX=1: the one-time code 000000/);
  assert.deepEqual(warningsOf({ OTP_SANDBOX: '0' }), []);
  assert.throws(() => readConfig({ OTP_SANDBOX: 'yes' }), /OTP_SANDBOX must be 0 or 1/);
});

test('several servers of PostgreSQL are named in one URL, and shown without the password', () => {
  const url = 'postgres://me:secret@one:5432,[::1],three/name?target_session_attrs=any&sslmode=disable';
  const config = readConfig({ DATABASE_URL: url });
  assert.deepEqual(readDatabaseUrl(config.databaseUrl!), {
    urls: ['one:5432', '[::1]', 'three'].map(
      (host) => `postgres://me:secret@${host}/name?target_session_attrs=any&sslmode=disable`,
    ),
    hosts: ['one:5432', '[::1]', 'three'],
    wanted: 'any',
    mustWrite: false,
  });
  assert.equal(withoutSecrets(config).DATABASE_URL, url.replace('secret', '***'));
  assert.equal(readDatabaseUrl('postgres://h/d')!.mustWrite, true);
  for (const [wrong, said] of [
    ['postgres://h/d?target_session_attrs=standby', /target_session_attrs of DATABASE_URL must be read-write or any/],
    ['postgres://h,,i/d', /DATABASE_URL is not a valid URL/],
    ['postgres://h:70000,i/d', /DATABASE_URL is not a valid URL/],
    ['postgres:///d?host=one,two', /must name several hosts before its path/],
  ] as const)
    assert.throws(() => readConfig({ DATABASE_URL: wrong }), said);
});

test('a setting that has no effect is warned of', () => {
  assert.match(warningsOf({ DATABASE_POOL: '3' }).join(), /^DATABASE_POOL has no effect without DATABASE_URL/);
  assert.deepEqual(warningsOf({ DATABASE_POOL: '3', DATABASE_URL: 'postgres://u@h/d' }), []);
  assert.match(warningsOf({ SQLITE_CACHE_MB: '3', DATABASE_URL: 'postgres://u@h/d' }).join(), /^SQLITE_CACHE_MB has no effect/);
  assert.deepEqual(warningsOf({ SQLITE_CACHE_MB: '3' }), []);
  const passphrase = { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: 'twelve or more' };
  assert.match(warningsOf({ ...passphrase, ROOT_KEY_PATH: 'x' }).join(), /^ROOT_KEY_PATH has no effect/);
  assert.deepEqual(warningsOf(passphrase), []);
  const smtp = { SMTP_URL: 'smtp://localhost' };
  assert.deepEqual(warningsOf({ MAIL_FROM: 'a@example.com' }), ['MAIL_FROM has no effect without SMTP_URL']);
  assert.deepEqual(warningsOf({ MAIL_FROM: 'a@example.com', ...smtp }), []);
  const webhook = { SMS_WEBHOOK_URL: 'https://example.com', SMS_WEBHOOK_SECRET: `whsec_${'A'.repeat(40)}` };
  assert.equal(warningsOf(webhook).length, 2);
  assert.deepEqual(warningsOf({ ...webhook, SMS_PROVIDER: 'webhook' }), []);
  assert.deepEqual(warningsOf({ ...webhook, SMS_PROVIDER: 'webhook', SMS_FROM: '+14155550100' }), [
    'SMS_FROM has no effect without SMS_PROVIDER=twilio',
  ]);
});

test('a root secret that would not be used stops the start', () => {
  for (const [name, provider] of [
    ['ROOT_PASSPHRASE', 'passphrase'],
    ['ROOT_PASSPHRASE_FILE', 'passphrase'],
    ['ROOT_KEY', 'env'],
  ] as const)
    assert.throws(
      () => readConfig({ [name]: 'twelve or more' }),
      (error) =>
        error instanceof ConfigError &&
        error.message.includes(`set ROOT_KEY_PROVIDER=${provider}, or unset`) &&
        !error.message.includes('twelve'),
    );
});

test('the root key in the environment has 64 hex digits, and the message about another has none of it', () => {
  for (const ROOT_KEY of ['ab'.repeat(31), 'zz'.repeat(32), ''])
    assert.throws(
      () => readConfig({ ROOT_KEY_PROVIDER: 'env', ROOT_KEY }),
      (error) => error instanceof ConfigError && /64 hex digits/.test(error.message) && !/abab|zzzz/.test(error.message),
    );
});

test('the settings of the next root key have NEW_ in front, and so have their errors', () => {
  const next = readNewRootKey('env', '/data', { ROOT_KEY: '00'.repeat(32), NEW_ROOT_KEY: '11'.repeat(32) });
  assert.deepEqual(next, { provider: 'env', hex: '11'.repeat(32) });
  assert.throws(() => readNewRootKey('passphrase', '/data', { ROOT_PASSPHRASE: 'twelve or more' }), {
    message: 'NEW_ROOT_KEY_PROVIDER=passphrase needs NEW_ROOT_PASSPHRASE or NEW_ROOT_PASSPHRASE_FILE',
  });
});

test('proxies are addresses and blocks in one form; what is neither stops the start', () => {
  const proxies = (text: string) => readConfig({ TRUSTED_PROXIES: text }).trustedProxies;
  assert.deepEqual(proxies(''), []);
  assert.deepEqual(proxies(' 10.1.2.3/8, 2001:DB8::1,,::ffff:192.0.2.7 '), ['10.0.0.0/8', '2001:db8::1/128', '192.0.2.7/32']);
  for (const [text, why] of [
    ['1', /must be addresses, or blocks such as 10\.0\.0\.0\/8, separated by commas, not "1"/],
    ['10.0.0.0/8 10.1.0.0/16', /must be addresses/],
    ['proxy.example.com', /must be addresses/],
    ['0.0.0.0/0', /must not name "0\.0\.0\.0\/0": every client/],
    ['10.0.0.1,::/0', /must not name "::\/0"/],
    ['10.0.0.1,'.repeat(101), /at most 100/],
  ] as const)
    assert.throws(
      () => proxies(text),
      (error) => error instanceof ConfigError && why.test(error.message) && error.message.startsWith('TRUSTED_PROXIES '),
    );
});

test('a server of root keys is reached by TLS, and its address holds no password', () => {
  const read = (ROOT_KEY_URL: string) =>
    readConfig({ ROOT_KEY_PROVIDER: 'vault-transit', ROOT_KEY_URL, ROOT_KEY_NAME: 'key', ROOT_KEY_TOKEN_PATH: '/run/token' });
  for (const url of ['https://vault.internal', 'http://127.0.0.1:8200', 'http://[::1]:8200', 'http://localhost:8200']) read(url);
  for (const url of ['http://vault.internal', 'https://user:hidden@vault', 'http://127.0.0.1.example.com'])
    assert.throws(
      () => read(url),
      (error) => error instanceof ConfigError && /^ROOT_KEY_URL must/.test(error.message) && !/hidden/.test(error.message),
    );
});

test('every setting is known, and `config` shows it', () => {
  const place = { ROOT_KEY_URL: 'https://vault:8200', ROOT_KEY_NAME: 'key', ROOT_KEY_REGION: 'eu-central-1' };
  const roots: Record<string, object> = {
    file: {},
    passphrase: { ROOT_PASSPHRASE: 'twelve or more' },
    env: { ROOT_KEY: '0f'.repeat(32) },
    shares: {},
    'vault-transit': { ...place, ROOT_KEY_TOKEN_PATH: '/run/token', ROOT_KEY_NAMESPACE: 'team' },
    'aws-kms': place,
    pkcs11: { ...place, ROOT_KEY_MODULE: '/usr/lib/pkcs11.so', ROOT_KEY_SLOT: 'token', ROOT_KEY_PIN: 'pin' },
  };
  assert.deepEqual(Object.keys(roots), ROOT_PROVIDERS);
  const shown = ROOT_PROVIDERS.flatMap((ROOT_KEY_PROVIDER) =>
    Object.entries(withoutSecrets(readConfig({ ROOT_KEY_PROVIDER, ...roots[ROOT_KEY_PROVIDER] }))).map(([name, value]) => {
      assert.doesNotMatch(String(value), /twelve or more|0f0f|^pin$/);
      return name;
    }),
  );
  const settings = SETTINGS.filter((name) => !name.endsWith('_FILE'));
  assert.deepEqual([...new Set(shown)].sort(), [...settings].sort());
});

test('hosts that requests may name are listed with their ports', () => {
  assert.deepEqual(
    [...readConfig({ OUTBOUND_ALLOW: 'LocalHost:3000, idp.internal:443' }).outboundAllow],
    ['localhost:3000', 'idp.internal:443'],
  );
  assert.equal(readConfig({}).outboundAllow.size, 0);
  for (const wrong of ['localhost', 'https://idp.internal', '*:443'])
    assert.throws(
      () => readConfig({ OUTBOUND_ALLOW: wrong }),
      (error) => error instanceof ConfigError && error.message.startsWith('OUTBOUND_ALLOW must be host:port,host:port,…: '),
    );
});

test('issuers that are accepted, and other addresses of providers', () => {
  assert.equal(readConfig({}).oidcIssuers, undefined);
  assert.deepEqual(readConfig({ OIDC_ISSUERS: 'none' }).oidcIssuers, []);
  const two = ['https://accounts.google.com', 'http://localhost:9010/realm'];
  assert.deepEqual(readConfig({ OIDC_ISSUERS: ` ${two.join(' , ')},` }).oidcIssuers, two);
  for (const wrong of ['accounts.google.com', 'none,https://accounts.google.com', 'ftp://issuer'])
    assert.throws(() => readConfig({ OIDC_ISSUERS: wrong }), /^ConfigError: OIDC_ISSUERS must be URLs of issuers/);
  assert.equal(readConfig({ OAUTH2_X_URL: 'http://localhost:1/' }).oauth2Urls.OAUTH2_PROVIDER_X, 'http://localhost:1');
  assert.equal(readConfig({}).oauth2Urls.OAUTH2_PROVIDER_DISCORD, undefined);
  assert.throws(() => readConfig({ OAUTH2_DISCORD_URL: 'discord.com' }), /OAUTH2_DISCORD_URL must be a URL/);
});

test('on-ramp providers', () => {
  const { urls, sendClientIp } = readConfig({}).onRamps;
  assert.deepEqual(Object.values(urls), Array(2).fill({ live: undefined, sandbox: undefined }));
  assert.equal(sendClientIp, false);
  const set = readConfig({ ONRAMP_MOONPAY_SANDBOX_URL: 'http://localhost:1/', ONRAMP_SEND_CLIENT_IP: 'on' }).onRamps;
  assert.deepEqual(set.urls.FIAT_ON_RAMP_PROVIDER_MOONPAY, { live: undefined, sandbox: 'http://localhost:1' });
  assert.equal(set.sendClientIp, true);
  assert.throws(() => readConfig({ ONRAMP_COINBASE_URL: 'coinbase.com' }), /ONRAMP_COINBASE_URL must be a URL/);
  assert.throws(() => readConfig({ ONRAMP_SEND_CLIENT_IP: '1' }), /ONRAMP_SEND_CLIENT_IP must be on or off/);
});

test('verifiable apps have hosts below a domain', () => {
  assert.equal(readConfig({}).apps.domain, 'localhost');
  assert.equal(readConfig({ APPS_DOMAIN: 'apps.example.net' }).apps.domain, 'apps.example.net');
  for (const APPS_DOMAIN of ['Apps.example.net', '.net', 'a..b', 'https://a.b', '-a.b', `${'a.'.repeat(101)}b`])
    assert.throws(() => readConfig({ APPS_DOMAIN }), /APPS_DOMAIN must be a host name in lower case/);
});

test('the record is shipped to a file, syslog or OpenTelemetry, and headers are sent over TLS alone', () => {
  const shipOf = (AUDIT_SHIP: string, more = {}) => readConfig({ AUDIT_SHIP, ...more }).ship;
  const text = (AUDIT_SHIP: string) => ({ text: AUDIT_SHIP, isOpen: false });
  assert.deepEqual(shipOf('file:///var/log/a b.jsonl'), {
    ...text('file:///var/log/a b.jsonl'),
    kind: 'file',
    path: '/var/log/a b.jsonl',
  });
  for (const [given, host, port, tls, isOpen] of [
    ['syslog+tls://logs.example.com', 'logs.example.com', 6514, true, false],
    ['syslog+tls://logs.example.com:443', 'logs.example.com', 443, true, false],
    ['syslog+tcp://127.0.0.1', '127.0.0.1', 601, false, false],
    ['syslog+tcp://[2001:db8::1]:514', '2001:db8::1', 514, false, true],
  ] as const)
    assert.deepEqual(shipOf(given), { text: given, isOpen, kind: 'syslog', host, port, tls });
  const AUDIT_SHIP_HEADERS = 'Authorization=Bearer%20secret,x-tenant=1';
  const https = 'otlp+https://logs.example.com/base/';
  const ship = shipOf(https, { AUDIT_SHIP_HEADERS });
  assert.deepEqual(ship, {
    ...{ ...text(https), kind: 'otlp', url: 'https://logs.example.com/base/v1/logs' },
    headers: { authorization: 'Bearer secret', 'x-tenant': '1' },
  });
  assert.equal(withoutSecrets(readConfig({ AUDIT_SHIP: https, AUDIT_SHIP_HEADERS })).AUDIT_SHIP_HEADERS, '***');
  for (const wrong of [
    'file:record.jsonl',
    'syslog://a',
    'syslog+https://a',
    'otlp+tls://a',
    'syslog+tls://a/b',
    'syslog+tls://u:p@a',
    'otlp+https://a?b=c',
    'x',
  ])
    assert.throws(() => shipOf(wrong), /AUDIT_SHIP must be file:/, wrong);
  assert.throws(() => shipOf('otlp+http://logs.example.com', { AUDIT_SHIP_HEADERS }), /must be otlp\+https/);
  for (const headers of ['secret', 'a=%zz', 'a b=c', 'a=b%0ac'])
    assert.throws(
      () => shipOf(https, { AUDIT_SHIP_HEADERS: headers }),
      (error) => error instanceof ConfigError && !error.message.includes('secret'),
    );
  assert.match(warningsOf({ AUDIT_SHIP: 'otlp+http://collector:4318' }).join(), /unencrypted/);
  assert.match(warningsOf({ AUDIT_SHIP_HEADERS }).join(), /no effect/);
});
