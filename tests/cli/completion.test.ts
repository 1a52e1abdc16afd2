import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { helps } from '../../src/cli/commands.ts';
import { optionsIn } from '../../src/cli/help-parts.ts';
import { optionNames } from '../../src/cli/options.ts';
import { cli } from '../support/cli.ts';

const countersign = (...args: string[]) => cli(args, { cwd: tmpdir() });

/** What the shell offers after these words. */
const offered = (script: string, ...words: string[]): string[] => {
  const line = words.map((word) => `'${word}'`).join(' ');
  const asked = `${script}\nCOMP_WORDS=(countersign ${line}); COMP_CWORD=${words.length}; _countersign; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-c', asked], { cwd: tmpdir(), encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((word) => word !== '');
};

test('bash completes commands, operations, actions and options, also after an option with a value', async () => {
  const { out } = await countersign('completion', 'bash');
  assert.deepEqual(offered(out, 'sub'), ['submit']);
  assert.deepEqual(offered(out, '--credentials', 'query', 'submit', 'create_wallet_'), ['create_wallet_accounts']);
  assert.ok(offered(out, 'custody', '').includes('rotate-root'));
  assert.deepEqual(offered(out, 'keygen', '--cu'), ['--curve']);
  assert.deepEqual(offered(out, 'submit', 'create_wallet', 'create_wal'), []);
});

test('the completion of each shell names each command, and a wrong shell is refused', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await countersign('completion', shell);
    for (const name of helps().keys()) assert.ok(out.includes(name), `${shell}: ${name}`);
    // A shell that this machine has reads its script without a mistake.
    const read = spawnSync(shell, ['-n'], { input: out, encoding: 'utf8' });
    if (read.error === undefined) assert.deepEqual([read.status, read.stderr], [0, '']);
  }
  assert.match((await countersign('completion', 'csh')).err, /^there is no completion for "csh": name bash, zsh, fish\n$/);
});

test('each option that a help names exists, and each option is in a help', () => {
  const named = new Set([...helps().values()].flatMap(optionsIn));
  const general = ['help', 'version', 'output', 'field', 'quiet'];
  assert.deepEqual(
    [...named].filter((name) => !optionNames.includes(name)),
    [],
  );
  assert.deepEqual(
    optionNames.filter((name) => !named.has(name) && !general.includes(name)),
    [],
  );
});
