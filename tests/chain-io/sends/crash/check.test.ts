import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Chain, startChain } from './chain.ts';
import { violations } from './check.ts';
import { FAIL_POINTS } from './model.ts';
import { run } from './run.ts';
import { type Able, ALL, scheduleOf } from './schedule.ts';
import { FAULTS, type Fault, toy } from './toy.ts';

/** The abilities of a toy. */
const SIMPLE: Able = {
  network: 'evm',
  kinds: ['call', 'value', 'reverts'],
  changes: false,
  points: FAIL_POINTS.filter((point) => !point.endsWith('replace')),
};

let chain: Chain;
before(async () => {
  chain = await startChain();
});
after(() => chain.stop());

/** Only a toy that fails anyway may be slower than this without being stuck. */
const SOON_MS = 1000;

const found = async (fault: Fault | undefined, seed: number) => {
  try {
    const { outcome } = await run(toy(chain, fault), chain, scheduleOf(seed, SIMPLE), fault ? { patienceMs: SOON_MS } : {});
    return violations(outcome);
  } catch (error) {
    if (fault === undefined) throw error;
    return [String(error)];
  }
};

test('a toy without a fault passes every schedule', async () => {
  for (let seed = 0; seed < 32; seed++) assert.deepEqual(await found(undefined, seed), [], `seed ${seed}`);
});

const TELLS: Record<Fault, RegExp> = {
  'signs anew': /in blocks 2 times|took effect 2 times/,
  'keeps no bytes': /still waits|stuck/,
  'answers first': /acknowledged, and is not stored|its body was several sends|2 times/,
  'gives up': /FAILED/,
  hopes: /INCLUDED, and the chain has no receipt/,
  'knows no body': /its body was several sends/,
  'does not look back': /stuck/,
  'does not answer': /never answered/,
  'ends by itself': /nobody killed it/,
};

for (const fault of FAULTS)
  test(`schedules find a toy that ${fault}`, async () => {
    let seen = '';
    for (let seed = 0; seed < 32; seed++) {
      const sentences = (await found(fault, seed)).join('\n');
      if (TELLS[fault].test(sentences)) return;
      seen += sentences;
    }
    assert.fail(`none of the schedules found it: ${seen}`);
  });

test('a seed is always the same schedule, and each fail-point has its turn', () => {
  assert.deepEqual(scheduleOf(7), scheduleOf(7));
  const first = Array.from({ length: 200 }, (_, seed) => scheduleOf(seed, ALL).crashes[0]!);
  for (const point of FAIL_POINTS)
    assert.ok(first.filter((crash) => 'point' in crash && crash.point === point).length >= 10, point);
});
