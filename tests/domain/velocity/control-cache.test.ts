import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coveringKind } from '../../../src/domain/velocity/control-cache.ts';
import type { Terms } from '../../../src/domain/velocity/terms.ts';

const CONTROLS = 4_000;

test('controls whose scopes share all ids are indexed within a second', () => {
  const walletIds = new Set(Array.from({ length: 500 }, (_, i) => `wallet ${i}`));
  const terms = { kinds: undefined, assets: undefined, always: true, scope: { walletIds } } as unknown as Terms;
  const begun = performance.now();
  const { byId } = coveringKind(
    { version: 1, all: Array.from({ length: CONTROLS }, () => terms), byKind: new Map() },
    { kind: 'SIGN_TRANSACTION', takes: async () => [], votes: undefined },
  );
  assert.ok(performance.now() - begun < 1_000, `${performance.now() - begun} ms`);
  assert.equal(byId.get('wallet 499')?.length, CONTROLS);
});
