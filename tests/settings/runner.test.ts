import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readRunnerConfig } from '../../src/config.ts';

const SET = { APPS_RUNNER: 'on', DATA_DIR: '/var/lib/countersign', APPS_SOCKET: '/run/countersign/runners.sock' };
const refuses = (more: Record<string, string>, why: RegExp) =>
  assert.throws(
    () => readRunnerConfig({ ...SET, ...more }),
    (error) => error instanceof ConfigError && why.test(error.message),
  );

test('a runner starts only if it is turned on, with a socket, and without secrets of the service', () => {
  assert.equal(readRunnerConfig(SET).most, 16);
  refuses({ APPS_RUNNER: '' }, /^APPS_RUNNER is off: set APPS_RUNNER=on/);
  refuses({ APPS_SOCKET: '' }, /^APPS_SOCKET is unset/);
  refuses({ DATA_DIR: '' }, /^DATA_DIR is unset: set it to the folder of the service/);
  refuses({ RPC_URL_EIP155_1: 'https://key@x' }, /the runner has RPC_URL_EIP155_1 of the service/);
  refuses(
    { DATABASE_URL: 'postgres://localhost/x', ROOT_PASSPHRASE_FILE: '/x', SMTP_URL: 'smtp://x' },
    /^the environment of the runner has DATABASE_URL, ROOT_PASSPHRASE_FILE, SMTP_URL of the service: unset them/,
  );
});

test('a runner on another machine has an address and the token', () => {
  const away = { APPS_SOCKET: '', APPS_SERVICE_URL: 'https://sign.internal:8443/', APPS_TOKEN: 't'.repeat(32) };
  const { service } = readRunnerConfig({ ...SET, ...away });
  assert.deepEqual(service, { url: 'https://sign.internal:8443', token: away.APPS_TOKEN, ca: undefined });
  refuses({ APPS_SERVICE_URL: away.APPS_SERVICE_URL }, /^APPS_SOCKET and APPS_SERVICE_URL are both set/);
  refuses({ ...away, APPS_TOKEN: '' }, /^APPS_SERVICE_URL needs APPS_TOKEN/);
  refuses({ ...away, APPS_TOKEN: 'short' }, /^APPS_TOKEN must have at least 32 visible ASCII characters/);
  for (const APPS_SERVICE_URL of ['http://sign.internal:8443', 'https://a:b@sign.internal', 'https://sign.internal/x'])
    refuses({ ...away, APPS_SERVICE_URL }, /^APPS_SERVICE_URL must be an https URL/);
});

test('its settings have limits, and each app a user ID', () => {
  const { uids, limits } = readRunnerConfig({ ...SET, APPS_UIDS: '200000-200016', APPS_CPUS: '0.5', APPS_MEMORY_MB: '32' });
  assert.deepEqual([uids, limits.cpus, limits.memoryBytes], [{ first: 200_000, count: 17 }, 0.5, 32 << 20]);
  for (const wrong of ['200000-200015', '0-100', '9-8', '1000', '5000000000-5000000100'])
    refuses({ APPS_UIDS: wrong }, /^APPS_UIDS/);
  refuses({ APPS_CPUS: '0' }, /^APPS_CPUS/);
  refuses({ APPS_FOLDER: 'run' }, /^APPS_FOLDER must be an absolute path/);
  refuses({ APPS_RUNNER: '1' }, /^APPS_RUNNER must be on or off/);
});
