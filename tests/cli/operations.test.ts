import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { NOT_YET } from '../conformance/not-yet.ts';

const CLI = resolve(import.meta.dirname, '../../src/cli.ts');

/** The command line's message for a mistake, without a service and without data. */
function complaint(...args: string[]): string {
  const done = spawnSync(process.execPath, [CLI, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, DATA_DIR: '/dev/null/nowhere' },
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(done.status, 2, done.stdout + done.stderr);
  return done.stderr;
}

test('an operation that is not there: what was typed, and what was meant', () => {
  assert.equal(complaint('submit', 'create_walet'), 'there is no activity "create_walet": did you mean create_wallet?\n');
  assert.equal(complaint('query', 'whoim'), 'there is no query "whoim": did you mean whoami?\n');
  assert.equal(complaint('submit', 'whoami'), '"whoami" is no activity: did you mean countersign query whoami?\n');
  assert.equal(
    complaint('query', 'create_wallet'),
    '"create_wallet" is no query: did you mean countersign submit create_wallet?\n',
  );
  const later = NOT_YET.paths
    .find((path) => path.includes('/query/'))
    ?.split('/')
    .at(-1);
  if (later !== undefined)
    assert.match(
      complaint('query', later),
      new RegExp(`^"${later}" is an operation of the interface that this version does not serve yet; there are `),
    );
  assert.match(complaint('query', 'xyzzyxyzzy'), /^there is no query "xyzzyxyzzy": there are .*whoami/);
  assert.match(complaint('query'), /^name a query: .*whoami/);
});

test('an argument too many is refused, not ignored', () => {
  assert.equal(complaint('start', 'now'), 'countersign start takes no "now": see countersign help\n');
  assert.equal(complaint('why', 'a', 'b'), 'countersign why takes no "b": see countersign help\n');
  assert.equal(complaint('query', 'whoami', '{}', 'x'), 'countersign query takes no "x": see countersign help\n');
});
