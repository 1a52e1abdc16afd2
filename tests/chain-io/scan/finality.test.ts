import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finalityOf } from '../../../src/chain-io/scan/finality.ts';

test('each network of the interface has its number of blocks, and others have that of the setting', () => {
  // The reference of the public service, on balance events.
  const blocks = {
    1: 32,
    11155111: 12,
    8453: 10,
    84532: 5,
    137: 30,
    80002: 12,
    42161: 10,
    421614: 5,
    4217: 10,
    42431: 5,
    56: 15,
    97: 15,
  };
  for (const [chain, count] of Object.entries(blocks)) assert.equal(finalityOf(`eip155:${chain}`, 64), count, chain);
  for (const other of ['eip155:10', 'eip155:31337']) assert.equal(finalityOf(other, 64), 64, other);
});
