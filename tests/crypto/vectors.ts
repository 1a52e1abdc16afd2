import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { seeded } from '../support/seeded.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SHARED = resolve(ROOT, '../shared/vectors');

const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

/** Vectors that are part of this repository: tests/vectors/. */
export function ownVectors<T>(path: string): T {
  return read<T>(join(ROOT, 'tests/vectors', path));
}

/** Vectors that may lie beside the repository. Without them the test is skipped, saying so. */
export function sharedVectors<T>(path: string): { data: T | undefined; skip: string | false } {
  const file = join(SHARED, path);
  return existsSync(file)
    ? { data: read<T>(file), skip: false }
    : { data: undefined, skip: `${path} is not beside the repository` };
}

export const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Repeatable bytes: for inputs that must be many, not secret. */
export function seededBytes(seed: number): (n: number) => Buffer {
  const next = seeded(seed);
  return (n) => Buffer.from(Array.from({ length: n }, () => next(256)));
}
