import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { seeded } from '../support/seeded.ts';

/** A file of tests/vectors/. */
export function ownVectors<T>(path: string): T {
  return JSON.parse(readFileSync(resolve(import.meta.dirname, '../vectors', path), 'utf8')) as T;
}

export const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Repeatable bytes: for inputs that must be many, not secret. */
export function seededBytes(seed: number): (n: number) => Buffer {
  const next = seeded(seed);
  return (n) => Buffer.from(Array.from({ length: n }, () => next(256)));
}
