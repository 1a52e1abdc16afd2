import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
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

const lacks = (program: string): string | false =>
  spawnSync(program, ['--version']).error !== undefined && `${program} is not installed here: apt-get install ${program}`;

/** Runs with the script in a file, in a folder that is the home of the shell. */
async function withScript(shell: string, run: (folder: string, file: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-shell-'));
  const file = join(folder, 'script');
  try {
    writeFileSync(file, (await countersign('completion', shell)).out);
    run(folder, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('fish completes commands, operations and options', { skip: lacks('fish') }, () =>
  withScript('fish', (HOME, file) => {
    const asked = ['countersign sub', 'countersign submit create_wallet_', 'countersign keygen --cu'];
    const script = [`source ${file}`, ...asked.map((line) => `complete -C '${line}'`)].join('; ');
    const { stdout } = spawnSync('fish', ['--no-config', '-c', script], {
      cwd: HOME,
      env: { PATH: process.env.PATH, HOME },
      encoding: 'utf8',
      timeout: 30_000,
    });
    assert.deepEqual(stdout.split('\n').filter(Boolean), ['submit', 'create_wallet_accounts', '--curve']);
  }),
);

test('zsh completes commands, operations and options', { skip: lacks('zsh') || lacks('python3') }, () =>
  withScript('zsh', (HOME, file) => {
    // Each text is typed once the terminal shows the one before it.
    const typed = [
      ['ready>', 'countersign sub\t'],
      ['submit ', 'create_wallet_\t'],
      ['create_wallet_accounts', '\u0015countersign keygen --cu\t'],
      ['--curve', '\u0015exit\n'],
    ];
    writeFileSync(join(HOME, '.zshrc'), `source ${file}\nPS1='ready>'\n`);
    const terminal = fileURLToPath(new URL('../support/on-terminal.py', import.meta.url));
    const { status, stdout } = spawnSync('python3', [terminal, JSON.stringify(typed), 'zsh', '-d', '-i'], {
      cwd: HOME,
      env: { PATH: process.env.PATH, HOME, TERM: 'dumb' },
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, 0, stdout);
  }),
);

test('the completion of each shell names each command, and a wrong shell is refused', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await countersign('completion', shell);
    for (const name of helps().keys()) assert.ok(out.includes(name), `${shell}: ${name}`);
    // A shell that this machine has reads its script without a mistake.
    await withScript(shell, (_, file) => {
      const read = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      if (read.error === undefined) assert.deepEqual([read.status, read.stderr], [0, '']);
    });
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
