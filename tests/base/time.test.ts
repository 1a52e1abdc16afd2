import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rfc3339, wireTimestamp } from '../../src/base/time.ts';
import fc from '../support/properties.ts';

const MS = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });

test('a time is written as Date writes it, whichever time was written before', () => {
  fc.assert(
    fc.property(MS, fc.array(fc.integer({ min: -1500, max: 1500 })), (start, steps) => {
      let ms = start;
      for (const step of [0, ...steps]) {
        ms += step;
        assert.equal(rfc3339(ms), new Date(ms).toISOString());
      }
    }),
  );
  assert.equal(rfc3339(1.9), new Date(1.9).toISOString());
  assert.throws(() => rfc3339(Number.NaN), RangeError);
});

test('a timestamp of the wire is the same time', () => {
  fc.assert(
    fc.property(MS, (ms) => {
      const { seconds, nanos } = wireTimestamp(ms);
      assert.equal(Number(seconds) * 1000 + Number(nanos) / 1e6, ms);
    }),
  );
});
