import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cli } from '../support/cli.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

const TERMINAL = fileURLToPath(new URL('../support/on-terminal.py', import.meta.url));
const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));
const instance = await sharedInstance();

const credentials = () => join(instance.dataDir, 'root-credentials.json');

/** What a terminal shows of a command. */
async function onTerminal(env: Record<string, string>, ...args: string[]): Promise<string> {
  const child = spawn('python3', [TERMINAL, '[]', process.execPath, CLI, ...args, '--credentials', credentials()], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
  });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}

/** What it shows of a refused query. */
const shown = (env: Record<string, string>, ...more: string[]) =>
  onTerminal(env, 'query', 'get_activity', `{"activityId":"${NOBODY}"}`, '--url', instance.url, ...more);

const skip = spawnSync('python3', ['--version']).status !== 0 && 'python3 makes the terminal';

test('a terminal shows a refusal in a line, in colours unless NO_COLOR is set; --output json shows it whole', {
  skip,
}, async () => {
  assert.ok((await shown({})).startsWith('\u001b[31mrefused\u001b[39m: activity not found'));
  assert.match(await shown({ NO_COLOR: '1' }), /^refused: activity not found[^\n]*\n$/);
  assert.match(await shown({}, '--output', 'json'), /^\{\s+"code": /);
});

test('a terminal shows control characters of an answer as text, and a pipe gets them as they are', { skip }, async () => {
  const name = 'a\u009b31mred\u202etfel';
  const hostile = createServer((_, response) => response.end(JSON.stringify({ username: name })));
  await once(hostile.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
  try {
    const escaped = 'a\\u009b31mred\\u202etfel';
    assert.equal(await onTerminal({}, 'query', 'whoami', '--url', url), `{\r\n  "username": "${escaped}"\r\n}\r\n`);
    assert.equal(await onTerminal({}, 'query', 'whoami', '--url', url, '--field', 'username'), `${escaped}\r\n`);
    const piped = await cli(['query', 'whoami', '--url', url, '--credentials', credentials(), '--field', 'username']);
    assert.equal(piped.out, `${name}\n`);
  } finally {
    hostile.close();
  }
});
