import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { arrayWriter } from '../../src/store/postgres-array.ts';
import { serverUrl } from '../support/database.ts';
import fc from '../support/properties.ts';

const NEEDS = { skip: serverUrl === undefined && 'needs PostgreSQL' };

const ARRAYS = {
  // PostgreSQL has no zero character in texts.
  text: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '').toWellFormed()),
  bytea: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  uuid: fc.uuid(),
  bigint: fc.oneof(fc.maxSafeInteger(), fc.integer()),
  smallint: fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }),
};

test('PostgreSQL reads an array as it was given: each type, null, and an empty one', NEEDS, async () => {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    for (const [type, values] of Object.entries<fc.Arbitrary<unknown>>(ARRAYS)) {
      const write = arrayWriter(type);
      const given = fc.array(fc.option(values));
      await fc.assert(
        fc.asyncProperty(given, async (array) => {
          const { rows } = await client.query(
            `SELECT value FROM unnest($1::${type}[]) WITH ORDINALITY AS a(value, n) ORDER BY n`,
            [write(array)],
          );
          const found = rows.map(({ value }) => (type === 'bigint' && value !== null ? Number(value) : value));
          assert.deepEqual(found, array);
        }),
      );
    }
  } finally {
    await client.end();
  }
});

test('a type of which the binary form is not known is refused', () => {
  assert.throws(() => arrayWriter('timestamptz'), /cannot write timestamptz/);
});
