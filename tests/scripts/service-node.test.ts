import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { SCRIPTS } from './setup.ts';

const { serviceFlags } = (await import(pathToFileURL(join(SCRIPTS, 'setup', 'service-node.mjs')).href)) as {
  serviceFlags(env: Record<string, string | undefined>): string[];
};

const MODULE = new URL('../../src/app/young-generation.ts', import.meta.url).href;

/** Prints the bytes of the young generation, once some MB were allocated. */
const PRINTED = `let kept; for (let i = 0; i < 300000; i++) kept = { i, text: String(i) };
  const young = require('node:v8').getHeapSpaceStatistics().find((each) => each.space_name === 'new_space');
  require('node:fs').writeSync(1, String(young.space_used_size + young.space_available_size))`;

const IN_A_THREAD = `import(${JSON.stringify(MODULE)}).then(({ keepYoungGenerationForThisThread }) => {
  keepYoungGenerationForThisThread();
  new (require('node:worker_threads').Worker)(${JSON.stringify(PRINTED)}, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 12 } });
})`;

function youngBytes(flags: readonly string[], program = PRINTED): number {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return Number(execFileSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8', env }));
}

test('the service has a young generation that is large from the start', () => {
  const bytes = youngBytes(serviceFlags({}));
  assert.ok(bytes >= 30 << 20, 'Node.js takes the flags');
  assert.ok(youngBytes([]) < bytes, 'and still needs them');
});

test('and other threads keep to their own bounds', () => {
  assert.ok(youngBytes(serviceFlags({}), IN_A_THREAD) < 12 << 20);
});

test('a size set in NODE_OPTIONS decides', () => {
  assert.deepEqual(serviceFlags({ NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=4' }), []);
  assert.deepEqual(serviceFlags({ NODE_OPTIONS: '--max_semi_space_size=4' }), []);
  assert.deepEqual(serviceFlags({ NODE_OPTIONS: '--max-heap-size=96' }), []);
  assert.notDeepEqual(serviceFlags({ NODE_OPTIONS: '--enable-source-maps' }), []);
});
