/** The log of the real process, with readers that do not do their part. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

async function start(t: TestContext, env: Record<string, string> = {}, preload?: string): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-log-output-'));
  const file = preload === undefined ? undefined : join(folder, 'preload.mjs');
  if (file !== undefined) writeFileSync(file, preload!);
  const service = await startProcess({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info', ...env }, file);
  t.after(async () => {
    service.child.kill('SIGKILL');
    service.child.stderr!.resume();
    await service.exited;
    rmSync(folder, { recursive: true, force: true });
  });
  await service.ready();
  return service;
}

const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('{'));
const answered = (text: string) => lines(text).filter((line) => JSON.parse(line).msg === 'answered').length;

async function linesLost(service: ServiceProcess): Promise<number> {
  const page = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^countersign_log_lines_lost_total (\d+)$/m.exec(page)![1]);
}

/** Names that are logged: a line of a few kilobytes. */
const WORDY = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${'x'.repeat(190)}${i}`, 1]));

test('a log that is not read delays neither requests nor the stop, and lines beyond its room are counted', async (t) => {
  const service = await start(t);
  const root = service.root();
  service.child.stderr!.pause();
  while ((await linesLost(service)) === 0)
    for (let i = 0; i < 100; i++) assert.equal((await root.query('whoami', WORDY)).status, 200);
  service.child.kill('SIGTERM');
  assert.deepEqual(await once(service.child, 'exit'), [0, null]);
});

test('a log that is read again tells how many lines were lost', async (t) => {
  const service = await start(t);
  const root = service.root();
  service.child.stderr!.pause();
  while ((await linesLost(service)) === 0) for (let i = 0; i < 100; i++) await root.query('whoami', WORDY);
  service.child.stderr!.resume();
  while (!service.output().includes('lines of the log were lost')) await root.query('whoami');
  const { level, lines: count } = JSON.parse(
    lines(service.output()).find((line) => line.includes('lines of the log were lost'))!,
  );
  assert.ok(level === 'warn' && count > 0);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0);
  for (const line of lines(service.output())) JSON.parse(line);
});

test('a log whose reader went away is no reason to stop', async (t) => {
  const service = await start(t);
  const root = service.root();
  service.child.stderr!.destroy();
  while ((await linesLost(service)) === 0) assert.equal((await root.query('whoami')).status, 200);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0);
});

test('every answer is in the log, however the process ends', async (t) => {
  const ends = {
    'an error that nobody catches': "process.on('SIGUSR2', () => { throw new Error('thrown by the test'); });",
    'a call of process.exit': "process.on('SIGUSR2', () => process.exit(1));",
  };
  for (const [name, preload] of Object.entries(ends)) {
    const service = await start(t, {}, preload);
    const root = service.root();
    for (let i = 0; i < 20; i++) await root.query('whoami');
    service.child.kill('SIGUSR2');
    await service.exited;
    assert.equal(answered(service.output()), 20, name);
  }
  const service = await start(t);
  for (let i = 0; i < 20; i++) await service.root().query('whoami');
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0);
  assert.equal(answered(service.output()), 20);
});

test('a log in a file is whole', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-log-file-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'log');
  const output = openSync(log, 'a');
  const port = await freePort();
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: join(folder, 'data'), RATE_UNSTAMPED: 'off' };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', output] });
  closeSync(output);
  t.after(() => child.kill('SIGKILL'));
  const exited = new Promise((done) => child.on('exit', done));
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(`${url}/ready`).catch(() => undefined))?.status !== 200) assert.equal(child.exitCode, null);
  await Promise.all(Array.from({ length: 200 }, () => fetch(`${url}/public/v1/query/whoami`, { method: 'POST', body: '{}' })));
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
  assert.equal(answered(readFileSync(log, 'utf8')), 200);
});
