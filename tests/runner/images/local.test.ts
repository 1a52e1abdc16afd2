import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { localName, openLocal } from '../../../src/runner/images/local.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-local-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const images = join(folder, 'images');
mkdirSync(join(images, 'team', 'app'), { recursive: true });
writeFileSync(join(images, 'team', 'app', 'run'), 'the executable');
writeFileSync(join(folder, 'secret'), 'outside');

const opened = (name: string, path: string) => {
  const fd = openLocal(images, name, path);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
};

test('a local image is a folder below APPS_IMAGES_DIR, by its relative name', () => {
  assert.equal(localName('local:team/app'), 'team/app');
  for (const other of ['ghcr.io/team/app', 'local:/etc', 'local:', 'local']) assert.equal(localName(other), undefined);
  assert.equal(opened('team/app', '/run'), 'the executable');
  assert.equal(opened('team', '/app/run'), 'the executable');
  assert.throws(() => openLocal(undefined, 'team/app', '/run'), /can set APPS_IMAGES_DIR/);
});

test('nothing leads out of it: no link on the way, no dots, no pipe that blocks', () => {
  symlinkSync('app', join(images, 'team', 'link'));
  symlinkSync('../../../secret', join(images, 'team', 'app', 'out'));
  symlinkSync(join(images, 'team', 'app', 'run'), join(images, 'team', 'app', 'same'));
  execFileSync('mkfifo', [join(images, 'team', 'app', 'pipe')]);
  assert.throws(() => opened('team/link', '/run'), /\/team\/link below APPS_IMAGES_DIR is a link or no folder/);
  for (const path of ['/out', '/same']) assert.throws(() => opened('team/app', path), /is a link$/);
  assert.throws(() => opened('team/app', '/pipe'), /\/team\/app\/pipe below APPS_IMAGES_DIR is no file/);
  assert.throws(() => opened('team', '/app'), /is no file/);
  assert.throws(() => opened('team', '/none/run'), /\/team\/none below APPS_IMAGES_DIR is missing$/);
  assert.throws(() => opened('team', `/${'x'.repeat(256)}`), /cannot be opened by the runner: ENAMETOOLONG$/);
  assert.throws(() => opened('..', '/secret'), /has "\.\."/);
  assert.throws(() => opened('team/app', '/../../../secret'), /has "\.\."/);
});
