import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { sharedInstance } from '../support/instance.ts';

const instance = await sharedInstance();
const folder = mkdtempSync(join(tmpdir(), 'countersign-profiles-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const countersign = (args: string[], env: Record<string, string> = {}) =>
  cli(args, { cwd: folder, env: { HOME: folder, DATA_DIR: '/dev/null/nowhere', ...env } });
const root = join(instance.dataDir, 'root-credentials.json');
const file = join(folder, '.config/countersign/profiles/ann.credentials.json');

test('a profile is used by its name or by COUNTERSIGN_PROFILE, is private, and shows no private key', async () => {
  const added = await countersign(['profile', 'add', 'ann', '--credentials', root, '--url', instance.url]);
  assert.deepEqual([added.code, added.err], [0, '']);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { apiPrivateKey } = JSON.parse(readFileSync(file, 'utf8'));
  const listed = [await countersign(['profile', 'list']), await countersign(['profile', 'list', '--json'])];
  assert.equal(JSON.parse(listed[1]!.out).profiles[0].name, 'ann');
  for (const { out, err } of [...listed, added]) assert.ok(!(out + err).includes(apiPrivateKey));
  const whoami = ['query', 'whoami', '--field', 'username'];
  const wanted = { code: 0, out: 'Root user\n', err: '' };
  assert.deepEqual(await countersign([...whoami, '--profile', 'ann']), wanted);
  assert.deepEqual(await countersign(whoami, { COUNTERSIGN_PROFILE: 'ann' }), wanted);
  const url = ['--url', instance.url];
  assert.deepEqual(await countersign([...whoami, ...url, '--credentials', root], { COUNTERSIGN_PROFILE: 'none' }), wanted);
});

test('a profile that is missing, or that other users can read, is refused', async () => {
  const ended = async (wanted: number, args: string[]) => {
    const { code, out, err } = await countersign(args);
    assert.deepEqual([code, out], [wanted, '']);
    return err;
  };
  const refused = (...args: string[]) => ended(1, args);
  assert.match(await refused('query', 'whoami', '--profile', 'bob'), /^there is no profile "bob"/);
  assert.match(await ended(2, ['query', 'whoami', '--profile', '../ann']), /^the name of a profile must have/);
  assert.match(await ended(2, ['query', 'whoami', '--profile', 'ann', '--credentials', root]), /not both/);
  assert.match(await refused('profile', 'add', 'ann', '--credentials', root), /already exists/);
  chmodSync(file, 0o640);
  assert.match(await refused('query', 'whoami', '--profile', 'ann'), /can be used by other users: run chmod 600/);
  assert.match(await refused('profile', 'list'), /can be used by other users/);
});
