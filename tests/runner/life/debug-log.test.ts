import assert from 'node:assert/strict';
import { test } from 'node:test';
import { debugLog } from '../../../src/runner/life/debug-log.ts';
import { Silent } from '../../../src/runner/service/call.ts';
import type { Line } from '../../../src/runner/service/service.ts';

const PLACE = { organizationId: 'o', deploymentId: 'd' };

test('what an app writes is sent in calls that the service takes, and what it cannot take is counted', async () => {
  const calls: Line[][] = [];
  let isSilent = true;
  const logs = async (_: unknown, lines: readonly Line[]) => {
    if (isSilent) throw new Silent('away');
    calls.push([...lines]);
    return {};
  };
  const log = debugLog({ logs }, PLACE, () => 1);
  log.write('a\0b\tc\u001b');
  for (let i = 0; i < 200; i++) log.write('"'.repeat(4096));
  for (let i = 0; i < 1000; i++) log.write('');
  isSilent = false;
  await log.close();
  assert.equal(calls[0]![0]!.text, 'a\ufffdb\tc\ufffd');
  for (const lines of calls) {
    assert.ok(lines.length <= 1000);
    assert.ok(JSON.stringify({ lines }).length < 250 * 1024);
  }
  const sent = calls.flat();
  const dropped = Number(/^runner: (\d+) lines were dropped/.exec(sent.at(-1)!.text)?.[1]);
  assert.equal(sent.length - 1 + dropped, 1201);
  assert.ok(sent.length > 50 && dropped > 50);
});

test('a silent service keeps no app from ending', async () => {
  const logs = async () => {
    throw new Silent('away');
  };
  const log = debugLog({ logs }, PLACE, () => 1);
  log.write('a line');
  await log.close();
});
