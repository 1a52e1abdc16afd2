/** What a start tells: a person at a terminal, and a program that collects the log. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startProcess } from '../support/process.ts';

/** From `script`, of util-linux: it runs a command at a terminal of its own. */
const lacking = spawnSync('script', ['--version']).status === 0 ? {} : { skip: 'no script command of util-linux here' };

async function startAndStop(t: TestContext, env: Record<string, string>, under: readonly string[] = []): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-terminal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const service = await startProcess({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info', ...env }, undefined, under);
  // The end of the banner. At a terminal, a thread writes the log: lines from before may come after it.
  await service.shows(/query whoami\s/);
  service.child.kill('SIGTERM');
  await service.exited;
  return service.output();
}

const toldOf = (output: string, message: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .find(({ msg }) => msg === message);

test('elsewhere than at a terminal the log is JSON, and a start names the settings that are not the default', async (t) => {
  const output = await startAndStop(t, { LIMIT_USERS: '7', RATE_UNSTAMPED: '10/100', DEV_OUTBOX: '0' });
  const { level, settings } = toldOf(output, 'listening');
  assert.equal(level, 'info');
  assert.deepEqual(Object.keys(settings).sort(), ['DATA_DIR', 'LIMIT_USERS', 'PORT']);
  assert.equal(settings.LIMIT_USERS, 7);
  assert.equal(toldOf(output, 'effective settings'), undefined);
});

test('all settings are in one line at level debug, without secrets', async (t) => {
  const output = await startAndStop(t, {
    LOG_LEVEL: 'debug',
    ROOT_KEY_PROVIDER: 'passphrase',
    ROOT_PASSPHRASE: 'not to be shown',
  });
  const { level, LIMIT_USERS, ROOT_PASSPHRASE } = toldOf(output, 'effective settings');
  assert.deepEqual([level, LIMIT_USERS, ROOT_PASSPHRASE], ['debug', 100, '***']);
  assert.doesNotMatch(output, /not to be shown/);
});

test('at a terminal the log is for people, and the banner stays in sight', lacking, async (t) => {
  const output = await startAndStop(t, {}, ['sh', '-c', 'exec script -qec "$0 $*" /dev/null']);
  assert.match(output, /^\d\d:\d\d:\d\dZ info {2}listening {2}address=http:\S+ {2}runs=\S+/m);
  assert.doesNotMatch(output, /^\{/m);
  // All settings in one line would take 5,000 characters.
  const lines = output.split('\n');
  assert.ok(lines.length < 40 && lines.every(({ length }) => length < 1000), output);
});

test('where a setting keeps npm start from keeping messages, the banner names it and what to set', async (t) => {
  const env = { DEV_OUTBOX: 'auto', BASE_URL: 'https://keys.example.com' };
  assert.match(
    await startAndStop(t, env),
    /^ {2}mail {10}is not sent,.* set SMTP_URL, or DEV_OUTBOX=1 to keep messages at \/dev\/outbox, .*unless BASE_URL is set$/m,
  );
  assert.match(await startAndStop(t, { DEV_OUTBOX: 'auto' }), /^ {2}outbox {8}http:\S+\/dev\/outbox/m);
});
