/**
 * `npm test` runs a part of the longest tests, always the same one. `--full`, which CI runs, runs more, and `--release` all.
 * docs/testing.md lists these tests.
 */
export const isFull = process.env.TEST_PART === 'full' || process.env.TEST_PART === 'release';
export const isRelease = process.env.TEST_PART === 'release';

/** A number for `npm test`, for `--full` and for `--release`. */
export const amount = (least: number, full: number, all = full): number => (isRelease ? all : isFull ? full : least);

/** Rounds of a loop over random input: a fifth of them in `npm test`. */
export const rounds = (full: number): number => amount(Math.ceil(full / 5), full);

/** Every `least`th of `list` in `npm test`, every `full`th in `--full`, and all of it in `--release`. */
export const partOf = <T>(list: readonly T[], least: number, full = 1): readonly T[] =>
  list.filter((_, i) => i % amount(least, full, 1) === 0);
