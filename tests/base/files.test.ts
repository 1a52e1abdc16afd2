import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createOrReadFile, makeFolder } from '../../src/base/files.ts';

const root = mkdtempSync(join(tmpdir(), 'countersign-files-'));
after(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const folder = () => {
  const path = join(root, String(made++));
  mkdirSync(path);
  return path;
};
const UNIQUE = '0123456789ab';

test('drafts of a crash are gone after the next start, and nothing else is', () => {
  const inside = folder();
  const file = join(inside, 'root.key');
  const others = [
    'root.key.bak',
    'root.key.old.tmp',
    'root.key.0123456789AB.tmp',
    'xroot.key.0123456789ab.tmp',
    'root.key.0123456789abc.tmp',
  ];
  for (const name of [...others, 'root.key.0123456789ab.tmp', 'root.key.ffffffffffff.tmp'])
    writeFileSync(join(inside, name), 'x');
  assert.deepEqual(
    createOrReadFile(file, () => 'new', 'aaaaaaaaaaaa'),
    { text: 'new', created: true },
  );
  assert.deepEqual(readdirSync(inside).sort(), [...others, 'root.key'].sort());
  writeFileSync(`${file}.${UNIQUE}.tmp`, 'x');
  assert.deepEqual(
    createOrReadFile(file, () => 'newer', UNIQUE),
    { text: 'new', created: false },
  );
  assert.deepEqual(readdirSync(inside).sort(), [...others, 'root.key'].sort());
});

test("the first writer wins, also if it removed the other one's draft", () => {
  for (const sweeps of [false, true]) {
    const file = join(folder(), 'key');
    const slow = createOrReadFile(
      file,
      () => {
        // Another process makes the file while this one makes its text.
        if (sweeps) createOrReadFile(file, () => 'first', 'bbbbbbbbbbbb');
        else writeFileSync(file, 'first');
        return 'second';
      },
      UNIQUE,
    );
    assert.deepEqual(slow, { text: 'first', created: false });
    assert.deepEqual(readdirSync(join(file, '..')), ['key']);
  }
});

test('a reason not to make the file is passed on, and nothing is left', () => {
  const file = join(folder(), 'key');
  const refuse = () => {
    throw new Error('it should be there');
  };
  assert.throws(() => createOrReadFile(file, refuse, UNIQUE), { message: 'it should be there' });
  assert.deepEqual(readdirSync(join(file, '..')), []);
});

test('errors name the path and say what is wrong with it', () => {
  const inside = folder();
  const [plain, dir, missing] = [join(inside, 'plain'), join(inside, 'dir'), join(inside, 'missing')];
  writeFileSync(plain, 'text');
  mkdirSync(dir);
  const file = (path: string) => () => createOrReadFile(path, () => 'x', UNIQUE);
  assert.throws(file(dir), { message: `${dir} is a folder, and must be a file` });
  assert.throws(file(join(missing, 'a')), {
    message: `${join(missing, 'a')} cannot be created, because its folder does not exist`,
  });
  assert.throws(file(join(plain, 'a')), /cannot exist, because a part of its path is a file/);
  assert.throws(() => makeFolder(plain, true), { message: `${plain} is a file, and must be a folder` });
  assert.throws(() => makeFolder(join(plain, 'a'), true), /cannot exist, because a part of its path is a file/);
  assert.equal(readFileSync(plain, 'utf8'), 'text');
});

test('a folder is made with its parents, for its owner only', () => {
  const path = join(folder(), 'a', 'b');
  makeFolder(path, true);
  makeFolder(path, true);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  assert.ok(existsSync(path));
});

test('a folder on a file system that takes none is refused, and not tried for ever', {
  skip: process.platform !== 'linux' && 'Linux has /proc',
}, () => {
  for (const path of ['/proc/countersign', '/proc/countersign/data'])
    assert.throws(() => makeFolder(path, true), {
      message: '/proc/countersign cannot be created: /proc accepts no folders. Choose a folder on a disk',
    });
});
