import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { parseStampPublicKey } from '../../src/crypto/stamp.ts';
import { cli } from '../support/cli.ts';
import { resultOf, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const CLI = resolve(import.meta.dirname, '../../scripts/countersign.mjs');
const instance = await sharedInstance();
const folder = mkdtempSync(join(tmpdir(), 'countersign-keygen-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Whatever the user's habits are, the file is for this user alone. */
const countersign = (cwd: string, ...args: string[]) => cli(args, { cwd, env: { DATA_DIR: '/dev/null/nowhere' }, umask: 0 });

const keygen = (...args: string[]) => countersign(folder, 'keygen', ...args);
const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.credentials.json`), 'utf8'));

test('the public key is printed alone; the private one is in a file of this user, and nowhere else', async () => {
  const { code, out, err } = await keygen('alice');
  const file = join(folder, 'alice.credentials.json');
  const { apiPrivateKey, ...rest } = read('alice');
  assert.deepEqual([code, err], [0, `written: ${file}\n`]);
  assert.deepEqual(rest, { curve: 'API_KEY_CURVE_P256', apiPublicKey: out.trim() });
  assert.match(out, /^0[23][0-9a-f]{64}\n$/);
  assert.match(apiPrivateKey, /^[0-9a-f]{64}$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(!(out + err).includes(apiPrivateKey));
  assert.deepEqual(readdirSync(folder), ['alice.credentials.json'], 'no draft stays');
});

test('a file that is there stays, whatever it is, until --force', async () => {
  const before = read('alice');
  const again = await keygen('alice');
  assert.deepEqual([again.code, again.out], [1, '']);
  assert.match(again.err, /alice\.credentials\.json already exists: .* --force\n$/);
  assert.deepEqual(read('alice'), before);
  writeFileSync(join(folder, 'target'), 'kept');
  symlinkSync('target', join(folder, 'link.credentials.json'));
  assert.equal((await keygen('link')).code, 1);
  assert.equal((await keygen('link', '--force')).code, 0);
  assert.equal(readFileSync(join(folder, 'target'), 'utf8'), 'kept', 'nothing is written through a link');
  chmodSync(join(folder, 'alice.credentials.json'), 0o644);
  const forced = await keygen('alice', '--force');
  assert.equal(forced.code, 0, forced.err);
  assert.notEqual(read('alice').apiPrivateKey, before.apiPrivateKey);
  assert.equal(statSync(join(folder, 'alice.credentials.json')).mode & 0o777, 0o600);
  mkdirSync(join(folder, 'taken.credentials.json'));
  const taken = await keygen('taken', '--force');
  assert.equal(taken.code, 1);
  assert.match(taken.err, /taken\.credentials\.json is a folder, and must be a file\n$/);
});

test('a key of each curve stamps for its user, by the file alone', async () => {
  for (const [curve, type] of [
    ['p256', 'API_KEY_CURVE_P256'],
    ['secp256k1', 'API_KEY_CURVE_SECP256K1'],
    ['ed25519', 'API_KEY_CURVE_ED25519'],
  ] as const) {
    const options = ['--curve', curve, '--organization', instance.root.organizationId, '--url', `${instance.url}/`];
    const { code, out, err } = await keygen(curve, ...options, '--json');
    const file = join(folder, `${curve}.credentials.json`);
    const { publicKey, ...rest } = JSON.parse(out);
    assert.deepEqual([code, err, rest], [0, '', { name: curve, curve: type, file }]);
    assert.equal(parseStampPublicKey(type, publicKey), publicKey);
    const { baseUrl, organizationId, apiPublicKey } = read(curve);
    assert.deepEqual([baseUrl, organizationId, apiPublicKey], [instance.url, instance.root.organizationId, publicKey]);
  }
});

test('the service takes them', async () => {
  const names = ['p256', 'secp256k1', 'ed25519'];
  const apiKeys = names.map((name) => ({ apiKeyName: name, publicKey: read(name).apiPublicKey, curveType: read(name).curve }));
  const users = [{ ...userWith('Key maker', []), apiKeys, userTags: [] }];
  const { userIds } = resultOf(await instance.root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  for (const name of names) {
    const { stdout, stderr } = await spawned('--credentials', join(folder, `${name}.credentials.json`), 'query', 'whoami');
    assert.equal(stderr, '');
    assert.equal(JSON.parse(stdout).userId, userIds[0], name);
  }
});

/** Not in this thread: the service is in this process. */
function spawned(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH } });
}

test('what the file lacks is asked for', async () => {
  const file = join(folder, 'alice.credentials.json');
  for (const [args, text] of [
    [['query', 'whoami'], 'the credentials name no organization: add --organization ID\n'],
    [
      ['query', 'whoami', '--organization', instance.root.organizationId],
      'the credentials name no address of the service: add --url URL\n',
    ],
  ] as const) {
    const { code, err } = await countersign(folder, '--credentials', file, ...args);
    assert.deepEqual([code, err], [2, text]);
  }
  assert.match((await countersign(folder, '--credentials', file, 'stamp', '{}')).out, /^[\w-]+\n$/);
  for (const [content, text] of [
    [{ apiPublicKey: 'x' }, /has no apiPrivateKey/],
    [{ apiPublicKey: 'x', apiPrivateKey: 'y', curve: 'P-256' }, /has no valid curve: it must be API_KEY_CURVE_P256 or /],
    [
      { apiPublicKey: 'x', apiPrivateKey: 'ab' },
      /no valid private key of API_KEY_CURVE_P256: apiPrivateKey must be 64 hex digits/,
    ],
    [{ apiPublicKey: 'x', apiPrivateKey: '0'.repeat(64) }, /no valid private key of API_KEY_CURVE_P256/],
  ] as const) {
    writeFileSync(join(folder, 'bad.json'), JSON.stringify(content));
    const { code, err } = await countersign(folder, '--credentials', 'bad.json', 'stamp', '{}');
    assert.equal(code, 2, err);
    assert.match(err, text);
  }
});

test('wrong usage, and help', async () => {
  for (const [args, text] of [
    [['../alice'], /^the name must have at most 64 letters/],
    [['.hidden'], /^the name must have/],
    [['x'.repeat(65)], /^the name must have/],
    [['a b'], /^the name must have/],
    [['bob', '--curve', 'p384'], /^--curve must be p256, secp256k1 or ed25519, not "p384"\n$/],
    [['bob', '--organization', 'x'], /^--organization must be a UUID, not "x"\n$/],
    [['bob', '--url', 'example.com'], /^--url must start with http/],
    [['bob', 'eve'], /^countersign keygen takes no "eve"/],
  ] as const) {
    const { code, out, err } = await keygen(...args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, text);
  }
  assert.ok(!readdirSync(folder).some((name) => name.startsWith('bob')), 'nothing is made then');
  const help = await keygen('--help');
  assert.deepEqual([help.code, help.err], [0, '']);
  assert.match(help.out, /^Usage: countersign keygen NAME[\s\S]*\nExamples:\n {2}\.\/countersign keygen alice\n/);
  assert.equal((await keygen()).code, 2);
});

test('a folder that takes no files', { skip: process.getuid?.() === 0 && 'root may write anywhere' }, async () => {
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o500 });
  const { code, err } = await countersign(closed, 'keygen', 'alice');
  assert.equal(code, 1);
  assert.match(err, /cannot be used by the user that runs this process: change its owner or permissions/);
});
