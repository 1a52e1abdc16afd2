/**
 * `npm test -- --full` and CI run all rounds and rows of the longest tests. `npm test` runs a part of them, always the same one.
 * docs/testing.md lists these tests.
 */
export const isFull = process.env.TEST_FULL === '1';

/** All of `list`, or every `nth` of it. */
export const partOf = <T>(list: readonly T[], nth: number): readonly T[] =>
  isFull ? list : list.filter((_, i) => i % nth === 0);
