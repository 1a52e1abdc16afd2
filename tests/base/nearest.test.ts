import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '../../src/base/nearest.ts';

const SETTINGS = ['DATABASE_URL', 'DATABASE_POOL', 'DATA_DIR', 'LOG_LEVEL', 'LIMIT_USERS', 'LIMIT_USER_TAGS', 'HOST', 'PORT'];

for (const [word, expected] of [
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_UR', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASE_POOLS', 'DATABASE_POOL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['log-level', 'LOG_LEVEL'],
  ['logLevel', 'LOG_LEVEL'],
  ['LIMIT_USER', 'LIMIT_USERS'],
  ['HSOT', 'HOST'],
  ['HOST', 'HOST'],
  ['HOME', undefined],
  ['TERM', undefined],
  ['', undefined],
  ['X'.repeat(65), undefined],
] as const) {
  test(`${word.slice(0, 20) || 'the empty word'}: ${expected}`, () => assert.equal(nearest(word, SETTINGS), expected));
}

test('two exchanged characters are one slip', () => {
  assert.equal(nearest('ab', ['ba']), 'ba');
  assert.equal(nearest('LMIIT_USERS', SETTINGS, 1), 'LIMIT_USERS');
});

test('the caller may allow fewer slips', () => {
  assert.equal(nearest('DATABAS_POL', SETTINGS, 1), undefined);
  assert.equal(nearest('DATABAS_POL', SETTINGS, 2), 'DATABASE_POOL');
});

test('the nearest wins, the first of equals', () => {
  assert.equal(nearest('cat', ['cart', 'cat']), 'cat');
  assert.equal(nearest('cat', ['bat', 'hat']), 'bat');
});

test('a long candidate is not compared', () => {
  assert.equal(nearest('a'.repeat(64), ['a'.repeat(65)]), undefined);
});
