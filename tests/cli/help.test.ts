import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { commandNames } from '../../src/cli/commands.ts';
import { cli } from '../support/cli.ts';

const countersign = (...args: string[]) => cli(args, { cwd: tmpdir(), env: { DATA_DIR: '/dev/null/nowhere' } });

const general = (await countersign('help')).out;

test('the help lists each command, which has a help of its own with examples', async () => {
  const [, listed] = /\n\n((?: {2}\S.*\n)+)/.exec(general)!;
  const commands = listed!.match(/^ {2}[a-z][a-z-]*/gm)!.map((name) => name.trim());
  assert.deepEqual(commands.filter((name) => name !== 'help').toSorted(), commandNames.toSorted());
  for (const command of commands.filter((name) => name !== 'help')) {
    const { code, out, err } = await countersign(command, '--help');
    assert.deepEqual([code, err], [0, ''], command);
    assert.match(out, new RegExp(`^Usage: countersign ${command}\\b`));
    assert.match(out, new RegExp(`\\n {2}.*\\./countersign ${command}\\b`), `${command} has an example`);
  }
});

test('the general help, and commands that are not there', async () => {
  for (const args of [['help'], ['--help'], ['-h'], ['help', 'help']])
    assert.deepEqual(await countersign(...args), { code: 0, out: general, err: '' });
  assert.deepEqual(await countersign('help', 'why'), await countersign('why', '--help'));
  assert.deepEqual(await countersign(), { code: 2, out: general, err: '' });
  for (const args of [['statr'], ['help', 'statr']])
    assert.match((await countersign(...args)).err, /^unknown command "statr": did you mean start\? Or see countersign help\n$/);
  for (const command of ['templates', 'outbox', 'sends'])
    assert.deepEqual(await countersign(command), { code: 2, out: (await countersign(command, '--help')).out, err: '' });
  for (const args of [['xyzzyxyzzy'], ['xyzzyxyzzy', '--help'], ['help', 'xyzzyxyzzy']])
    assert.deepEqual(await countersign(...args), {
      code: 2,
      out: '',
      err: 'unknown command "xyzzyxyzzy": see countersign help\n',
    });
});

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.deepEqual(await countersign('--version'), { code: 0, out: `${version}\n`, err: '' });
});
