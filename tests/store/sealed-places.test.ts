import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { snakeCase } from '../../src/base/names.ts';
import { HASH_PLACES, holdingColumns, SEALED_PLACES } from '../../src/store/sealed/places.ts';
import { type AnyTable, stored } from '../../src/store/table.ts';
import { tables } from '../../src/store/tables/index.ts';

const sorted = (all: Iterable<string>) => [...new Set(all)].sort();

test('each column with a sealed secret or a keyed hash is known to the rotation, and no other', () => {
  const of = (isHash: boolean) =>
    sorted(holdingColumns().flatMap(({ table, column, holds }) => ((holds === 'hash') === isHash ? [`${table}.${column}`] : [])));
  assert.deepEqual(sorted(SEALED_PLACES.map(({ table, column }) => `${table.name}.${snakeCase(column)}`)), of(false));
  assert.deepEqual(sorted(HASH_PLACES.map(({ table, column }) => `${table.name}.${column}`)), of(true));
});

/** No master key opens them: shares are sealed to keys of others, and the root key wraps master keys. */
const TO_OTHERS = ['tvc_quorum_shares.sealed', 'tvc_provisioning_shares.sealed', 'master_keys.wrapped'];

test('a column that is named as sealed has the type that the rotation finds', () => {
  const named = Object.values<AnyTable>(tables).flatMap((table) =>
    stored(table).flatMap(({ name, column }) =>
      /seal|wrapped|target_key/.test(name) && !column.holds ? [`${table.name}.${name}`] : [],
    ),
  );
  assert.deepEqual(sorted(named), sorted(TO_OTHERS));
});

test('the key of a place is the primary key of its table', () => {
  const schema = readFileSync(new URL('../../src/store/schema.postgres.sql', import.meta.url), 'utf8');
  for (const { table, key, archived } of SEALED_PLACES) {
    const name = archived ? 'activities' : table.name;
    const line = schema.split('\n').find((one) => one.startsWith(`create table "${name}" `))!;
    const [, made] = /primary key \(([^)]*)\)/.exec(line)!;
    assert.equal(key.map((name) => `"${snakeCase(name)}"`).join(', '), made, table.name);
  }
});
