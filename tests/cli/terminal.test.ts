import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

const TERMINAL = fileURLToPath(new URL('../support/on-terminal.py', import.meta.url));
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const instance = await sharedInstance();

/** What a terminal shows of a refused query. */
async function shown(env: Record<string, string>, ...more: string[]): Promise<string> {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const args = [
    'query',
    'get_activity',
    `{"activityId":"${NOBODY}"}`,
    '--url',
    instance.url,
    '--credentials',
    credentials,
    ...more,
  ];
  const child = spawn('python3', [TERMINAL, '[]', process.execPath, CLI, ...args], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
  });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}

test('a terminal shows a refusal in a line, in colours unless NO_COLOR is set; --output json shows it whole', {
  skip: spawnSync('python3', ['--version']).status !== 0 && 'python3 makes the terminal',
}, async () => {
  assert.ok((await shown({})).startsWith('\u001b[31mrefused\u001b[39m: activity not found'));
  assert.match(await shown({ NO_COLOR: '1' }), /^refused: activity not found[^\n]*\n$/);
  assert.match(await shown({}, '--output', 'json'), /^\{\s+"code": /);
});
