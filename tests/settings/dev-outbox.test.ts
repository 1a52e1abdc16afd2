import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devOutboxSetting } from '../../src/settings/dev-outbox.ts';
import { type Environment, SETTINGS } from '../../src/settings/names.ts';

/** As npm start sets it. */
const auto = (env: Environment) => devOutboxSetting({ DEV_OUTBOX: 'auto', ...env });

test('npm start keeps messages on a machine of its own, with nothing set', () => {
  for (const env of [{}, { HOST: '' }, { DATABASE_URL: '' }, { PORT: '9000', DATA_DIR: '/data' }])
    assert.deepEqual(auto(env), { kept: true, offBy: [] });
  for (const HOST of ['localhost', '127.0.0.1', '127.1.2.3', '::1']) assert.equal(auto({ HOST }).kept, true, HOST);
});

test('and not where others may reach the service, or where messages are sent; the settings that say so are named', () => {
  for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com', 'localhost.example.com', '128.0.0.1'])
    assert.deepEqual(auto({ HOST }), { kept: false, offBy: ['HOST'] }, HOST);
  for (const name of SETTINGS.filter((each) =>
    /^(?:DATABASE_URL|SMTP_URL|BASE_URL|TRUSTED_PROXIES|SMS_PROVIDER)(?:_FILE)?$/.test(each),
  ))
    assert.deepEqual(auto({ [name]: 'anything' }), { kept: false, offBy: [name] });
});

test('an operator who sets DEV_OUTBOX decides', () => {
  assert.equal(devOutboxSetting({ DEV_OUTBOX: '1', HOST: '0.0.0.0' }).kept, true);
  for (const env of [{}, { DEV_OUTBOX: '' }, { DEV_OUTBOX: '0' }]) assert.equal(devOutboxSetting(env).kept, false);
});
