import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';

const CLI = resolve(import.meta.dirname, '../../src/cli.ts');

function countersign(...args: string[]): { code: number | null; out: string; err: string } {
  const done = spawnSync(process.execPath, [CLI, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, DATA_DIR: '/dev/null/nowhere' },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

const general = countersign('help').out;

test('each command that the help lists has its own, with examples', () => {
  const [, listed] = /\n\n((?: {2}\S.*\n)+)/.exec(general)!;
  const commands = listed!.match(/^ {2}[a-z][a-z-]*/gm)!.map((name) => name.trim());
  assert.ok(commands.includes('why') && commands.includes('start'), commands.join());
  for (const command of commands.filter((name) => name !== 'help')) {
    const { code, out, err } = countersign(command, '--help');
    assert.deepEqual([code, err], [0, ''], command);
    assert.match(out, new RegExp(`^Usage: countersign ${command}\\b`));
    assert.match(out, new RegExp(`\\n {2}.*\\./countersign ${command}\\b`), `${command} has an example`);
  }
});

test('the general help, and commands that are not there', () => {
  for (const args of [['help'], ['--help'], ['-h'], ['help', 'help']])
    assert.deepEqual(countersign(...args), { code: 0, out: general, err: '' });
  assert.deepEqual(countersign('help', 'why'), countersign('why', '--help'));
  assert.deepEqual(countersign(), { code: 2, out: general, err: '' });
  for (const args of [['statr'], ['help', 'statr']])
    assert.match(countersign(...args).err, /^unknown command "statr": did you mean start\? Or see countersign help\n$/);
  for (const command of ['templates', 'outbox', 'sends'])
    assert.deepEqual(countersign(command), { code: 2, out: countersign(command, '--help').out, err: '' });
  for (const args of [['xyzzyxyzzy'], ['xyzzyxyzzy', '--help'], ['help', 'xyzzyxyzzy']])
    assert.deepEqual(countersign(...args), { code: 2, out: '', err: 'unknown command "xyzzyxyzzy": see countersign help\n' });
});
