import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchTurns } from '../../../src/runner/life/fetch-turns.ts';

test('an organization has one fetch at a time, so a slow registry of one leaves room for others', async () => {
  const turn = fetchTurns(2);
  const never = new Promise<void>(() => {});
  const begun: string[] = [];
  const fetch = (organization: string, until: Promise<void>) =>
    turn(organization, () => {
      begun.push(organization);
      return until;
    });
  for (let i = 0; i < 5; i++) void fetch('slow', never);
  for (let i = 0; i < 3; i++) await fetch('other', Promise.resolve());
  assert.deepEqual(begun, ['slow', 'other', 'other', 'other']);
});
