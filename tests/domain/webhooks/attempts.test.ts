import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayAfter, outcomeOf, retryAfterMs } from '../../../src/domain/webhooks/attempts.ts';

test('retries follow the schedule, a fifth sooner or later', () => {
  const seconds = Array.from({ length: 9 }, (_, i) => delayAfter(i + 1, 0.5) / 1000);
  assert.deepEqual(seconds, [5, 30, 120, 600, 1800, 7200, 21_600, 21_600, 21_600]);
  assert.deepEqual([delayAfter(1, 0), delayAfter(1, 1)], [4_000, 6_000]);
});

test('each answer is delivered, retried or given up', () => {
  const of = (outcome: string) =>
    [200, 204, 299, 301, 304, 400, 404, 408, 410, 425, 429, 500, 503, 599].filter((s) => outcomeOf(s) === outcome);
  assert.deepEqual(of('delivered'), [200, 204, 299]);
  assert.deepEqual(of('retry'), [408, 425, 429, 500, 503, 599]);
  assert.deepEqual(of('dead'), [301, 304, 400, 404, 410]);
});

test('a receiver may ask for a wait of at most an hour', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(retryAfterMs('120', now), 120_000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:01:00 GMT', now), 60_000);
  assert.equal(retryAfterMs('99999', now), 3_600_000);
  for (const wrong of [undefined, '', 'soon', '-5', 'Thu, 01 Jan 2025 00:00:00 GMT']) assert.equal(retryAfterMs(wrong, now), 0);
});
