import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balances } from '../../../src/chain-io/nodes/balances.ts';
import type { EvmNode } from '../../../src/chain-io/nodes/evm/node.ts';

const [ALL, OF_ONE] = [64, 4];

test('64 requests for balances of a process are under way at most, and 4 of an organization', async () => {
  const { promise, resolve } = Promise.withResolvers<{ native: bigint; tokens: Map<string, unknown> }>();
  let asked = 0;
  const holdings = () => {
    asked++;
    return promise;
  };
  const node = { kind: 'eip155', holdings } as unknown as EvmNode;
  const { of } = balances();
  const ask = (organizationId: string) => of(node, '0x', { assets: [], organizationId });
  const refusal = (message: RegExp) => ({ code: 'RATE_LIMIT_EXCEEDED', message });

  const underWay = Array.from({ length: ALL }, (_, i) => ask(`organization ${Math.floor(i / OF_ONE)}`));
  await assert.rejects(ask('organization 0'), refusal(/4 requests for balances of this organization are under way/));
  await assert.rejects(ask('another'), refusal(/64 requests for balances are under way/));
  assert.equal(asked, ALL, 'no node was asked for those that were refused');
  resolve({ native: 0n, tokens: new Map() });
  await Promise.all(underWay);
  assert.deepEqual(await Promise.all(Array.from({ length: OF_ONE }, () => ask('organization 0'))), [[], [], [], []]);
});
