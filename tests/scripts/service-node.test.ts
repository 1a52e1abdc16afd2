import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { SCRIPTS } from './setup.ts';

const { serviceFlags } = (await import(pathToFileURL(join(SCRIPTS, 'setup', 'service-node.mjs')).href)) as {
  serviceFlags(env: Record<string, string | undefined>): string[];
};

/** Of the young generation of a Node.js that has allocated some MB. */
function youngBytes(flags: readonly string[]): number {
  const program = `let kept; for (let i = 0; i < 300000; i++) kept = { i, text: String(i) };
    const young = require('node:v8').getHeapSpaceStatistics().find((each) => each.space_name === 'new_space');
    console.log(young.space_used_size + young.space_available_size)`;
  return Number(execFileSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' }));
}

test('the service has a young generation that is large from the start', () => {
  const flags = serviceFlags({});
  assert.ok(youngBytes([]) < 16 << 20);
  assert.ok(youngBytes(flags) >= 30 << 20, 'Node.js takes the flags');
});

test('whoever sets its size in NODE_OPTIONS decides', () => {
  assert.deepEqual(serviceFlags({ NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=4' }), []);
  assert.deepEqual(serviceFlags({ NODE_OPTIONS: '--max_semi_space_size=4' }), []);
  assert.notDeepEqual(serviceFlags({ NODE_OPTIONS: '--enable-source-maps' }), []);
});
