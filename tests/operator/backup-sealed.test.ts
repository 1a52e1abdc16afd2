import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEALED } from '../../src/operator/backup/sealed.ts';
import { copiedTable } from '../../src/store/copy/columns.ts';
import { tables } from '../../src/store/tables/index.ts';

/** Master keys, which the root key opens; and shares that clients sealed to others. */
const OTHERS = ['master_keys.wrapped', 'tvc_quorum_shares.sealed', 'tvc_provisioning_shares.sealed'];

test('each column with sealed bytes is opened by a drill', () => {
  const columns = Object.values(tables)
    .map(copiedTable)
    .flatMap(({ name, columns }) => columns.filter(([, kind]) => kind === 'bytes').map(([column]) => `${name}.${column}`));
  const sealed = columns.filter((column) => /\.(?:sealed|wrapped|target_key)/.test(column));
  assert.deepEqual(sealed.sort(), [...SEALED.map(({ table, column }) => `${table}.${column}`), ...OTHERS].sort());
});
