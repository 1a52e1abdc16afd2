import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { checkProvider, newMasterKey, openMasterKeys } from '../../src/custody/masters.ts';
import { fileRoot } from '../../src/custody/roots/file.ts';
import { passphraseRoot } from '../../src/custody/roots/passphrase.ts';
import type { RootKey } from '../../src/custody/types.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-roots-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const silent = () => {};
const aad = Buffer.from('aad');

async function roundTrip(root: RootKey, wrongs: RootKey[], message: RegExp): Promise<void> {
  const plain = randomBytes(32);
  const wrapped = await root.wrap(plain, aad);
  assert.deepEqual(await root.unwrap(wrapped, aad), plain);
  assert.notDeepEqual(await root.wrap(plain, aad), wrapped, 'a fresh nonce each time');
  await assert.rejects(root.unwrap(wrapped, Buffer.from('other')), message);
  for (const wrong of wrongs) await assert.rejects(wrong.unwrap(wrapped, aad), message);
  const changed = Buffer.from(wrapped);
  changed[wrapped.length - 1]! ^= 1;
  await assert.rejects(root.unwrap(changed, aad), message);
  await assert.rejects(root.unwrap(Buffer.alloc(5), aad), message);
}

test('the file: made once with mode 0600, told about once, and whole', async () => {
  const file = join(folder, 'root.key');
  const told: string[] = [];
  const root = fileRoot(file, randomBytes, (f) => told.push(f));
  assert.deepEqual(told, [file]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, 'utf8');
  assert.match(text, /^[0-9a-f]{64}\n$/);
  const again = fileRoot(file, randomBytes, (f) => told.push(f));
  assert.equal(told.length, 1);
  assert.equal(again.id, root.id);
  assert.match(root.id, /^file:[0-9a-f]{16}$/);
  assert.ok(!text.includes(root.id.slice(5)), 'the id says nothing of the key');
  assert.equal(readFileSync(file, 'utf8'), text);
  assert.deepEqual(readdirSync(folder), ['root.key'], 'no draft is left behind');
  const other = fileRoot(join(folder, 'other.key'), randomBytes, silent);
  assert.notEqual(other.id, root.id);
  await roundTrip(root, [other], /the root key in .* does not open the master key/);
  const plain = Buffer.alloc(32, 1);
  assert.deepEqual(await again.unwrap(await root.wrap(plain, aad), aad), plain);
});

test('several that start at once agree on one file', async () => {
  const file = join(folder, 'raced.key');
  let made = 0;
  const roots = await Promise.all(Array.from({ length: 10 }, async () => fileRoot(file, randomBytes, () => made++)));
  assert.equal(made, 1);
  assert.equal(new Set(roots.map((root) => root.id)).size, 1);
});

test('a draft that a crash left behind is never taken for the key, and goes', () => {
  const file = join(folder, 'crashed.key');
  const draft = `${file}.deadbeef0123.tmp`;
  writeFileSync(draft, 'abc');
  fileRoot(file, randomBytes, silent);
  assert.ok(!existsSync(draft));
  assert.match(readFileSync(file, 'utf8'), /^[0-9a-f]{64}\n$/);
});

test('a path where no key file can be is refused by name, with its setting', () => {
  for (const [path, why] of [
    [join(folder, 'missing', 'root.key'), 'cannot be created, because its folder does not exist'],
    [folder, 'is a folder, and must be a file'],
  ] as const)
    assert.throws(() => fileRoot(path, randomBytes, silent), {
      message: `the root key file ${path} ${why}: check ROOT_KEY_PATH`,
    });
});

test('a key file that is missing beside a sealed database is said so, and not made', () => {
  const file = join(folder, 'lost.key');
  assert.throws(() => fileRoot(file, randomBytes), /lost\.key is missing, and the database was sealed with it: .*ROOT_KEY_PATH/);
  assert.ok(!existsSync(file));
});

test('a file that holds no key is refused by name, without its content', () => {
  for (const [i, text] of ['', 'secret words', 'ab'.repeat(31), 'ab'.repeat(33), `${'zz'.repeat(32)}`].entries()) {
    const file = join(folder, `bad${i}.key`);
    writeFileSync(file, text);
    chmodSync(file, 0o600);
    assert.throws(
      () => fileRoot(file, randomBytes, silent),
      (error: Error) => error.message.includes(file) && (text === '' || !error.message.includes(text)),
    );
    assert.equal(readFileSync(file, 'utf8'), text, 'and left as it is');
  }
});

test('the passphrase: right, wrong, too short, and the same text in another normal form', async () => {
  const root = passphraseRoot('correct horse battery é', randomBytes);
  const wrong = passphraseRoot('Correct horse battery é', randomBytes);
  await roundTrip(root, [wrong], /ROOT_PASSPHRASE does not open the master key/);
  const plain = Buffer.alloc(32, 3);
  const composed = passphraseRoot('correct horse battery e\u0301', randomBytes);
  assert.deepEqual(await composed.unwrap(await root.wrap(plain, aad), aad), plain);
  assert.throws(() => passphraseRoot('short', randomBytes), /at least 12 characters/);
  assert.equal(root.id, wrong.id, 'the id says nothing of the passphrase');
});

test('master keys: opened under their version, the retired ones left out, a foreign root named', async () => {
  const root = fileRoot(join(folder, 'masters.key'), randomBytes, silent);
  const row = async (version: number, retired = false) => ({
    version,
    rootId: root.id,
    wrapped: retired ? Buffer.alloc(0) : await newMasterKey(root, version, randomBytes),
  });
  const rows = [await row(1, true), await row(2), await row(3)];
  const opened = await openMasterKeys(root, rows);
  assert.deepEqual([...opened.keys()], [2, 3]);
  assert.equal(opened.get(2)!.symmetricKeySize, 32);
  assert.ok(!opened.get(2)!.equals(opened.get(3)!));
  await assert.rejects(openMasterKeys(root, [{ ...rows[1]!, version: 3 }]), /does not open the master key/);
  const other = fileRoot(join(folder, 'foreign.key'), randomBytes, silent);
  await assert.rejects(openMasterKeys(other, rows), (error: Error) => {
    assert.ok(error.message.includes(root.id) && error.message.includes(other.id));
    return true;
  });
  const passphrase = passphraseRoot('a long passphrase', randomBytes);
  await assert.rejects(openMasterKeys(passphrase, rows), /sealed with ROOT_KEY_PROVIDER=file/);
});

test('the provider that sealed is named before its root key is asked for; retired keys need none', () => {
  const row = (rootId: string, retired = false) => ({ version: 1, rootId, wrapped: Buffer.alloc(retired ? 0 : 1) });
  for (const [provider, rows, message] of [
    ['file', [row('passphrase:scrypt-17-8-1')], /was sealed with ROOT_KEY_PROVIDER=passphrase.*set .*ROOT_PASSPHRASE/],
    ['passphrase', [row('file:0123456789abcdef')], /was sealed with ROOT_KEY_PROVIDER=file.*set .*ROOT_KEY_PATH/],
    [
      'file',
      [row('file:0123456789abcdef'), row('quantum:x')],
      /ROOT_KEY_PROVIDER=quantum, which needs a newer version of the service/,
    ],
  ] as const)
    assert.throws(() => checkProvider(provider, rows), message);
  checkProvider('file', []);
  checkProvider('file', [row('file:0123456789abcdef'), row('passphrase:scrypt-17-8-1', true)]);
});

test('a fresh master key is wiped once it is wrapped', async () => {
  const drawn: Buffer[] = [];
  const random = (n: number) => {
    const bytes = randomBytes(n);
    drawn.push(bytes);
    return bytes;
  };
  await newMasterKey(fileRoot(join(folder, 'wiped.key'), randomBytes, silent), 1, random);
  assert.ok(drawn[0]!.every((byte) => byte === 0));
});
