import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { SCRIPTS } from './setup.ts';

const { keepsMessages } = (await import(pathToFileURL(join(SCRIPTS, 'setup', 'dev-outbox.mjs')).href)) as {
  keepsMessages(env: Record<string, string | undefined>): boolean;
};

test('npm start keeps messages on a machine of its own, with nothing set', () => {
  for (const env of [{}, { HOST: '' }, { DATABASE_URL: '' }, { PORT: '9000', DATA_DIR: '/data' }])
    assert.equal(keepsMessages(env), true);
  for (const HOST of ['localhost', '127.0.0.1', '127.1.2.3', '::1']) assert.equal(keepsMessages({ HOST }), true, HOST);
});

test('and not where others may reach the service, or where messages are sent', () => {
  for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com', 'localhost.example.com', '128.0.0.1'])
    assert.equal(keepsMessages({ HOST }), false, HOST);
  for (const name of [
    'DATABASE_URL',
    'SMTP_URL',
    'BASE_URL',
    'TRUSTED_PROXIES',
    'SMS_PROVIDER',
    'DATABASE_URL_FILE',
    'SMTP_URL_FILE',
  ])
    assert.equal(keepsMessages({ [name]: 'anything' }), false, name);
});

test('whoever sets DEV_OUTBOX decides', () => {
  assert.equal(keepsMessages({ DEV_OUTBOX: '0' }), false);
  assert.equal(keepsMessages({ DEV_OUTBOX: '1', HOST: '0.0.0.0' }), false, 'it is set already');
});
