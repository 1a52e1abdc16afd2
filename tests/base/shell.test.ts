/** A quoted word is one word to a real shell, and nothing of it runs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { shellQuoted } from '../../src/base/shell.ts';

test('a shell gets each word as it was, without control characters', () => {
  const words = [
    'plain-1.0',
    '',
    `it's`,
    `'; echo x; '`,
    '$(echo x)',
    '`echo x`',
    '{"a":"b c"}',
    '\\',
    '~',
    '*',
    'a\u001b[201~b',
  ];
  const args = words.map(shellQuoted).join(' ');
  const out = execFileSync('sh', ['-c', `printf '%s|' ${args}`]).toString();
  assert.deepEqual(
    out.split('|').slice(0, -1),
    words.map((word) => word.replace('\u001b', '·')),
  );
});
