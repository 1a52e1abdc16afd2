import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { engineName } from '../support/database.ts';

const DEMO = resolve(import.meta.dirname, '../../scripts/demo.ts');
const skip = engineName === 'postgres' && 'the demo brings its own SQLite database';

type Ended = { code: number | null; stdout: string; stderr: string };

function run(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, [DEMO, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk) => {
      ended[name] += chunk;
    });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ ...ended, code }));
  });
}

const STEPS = ['service', 'organization', 'wallet', 'signature', 'record', 'again', 'refusal', 'tampering'];

test('the demo holds, prints its steps as JSON, ignores the settings around it and leaves nothing behind', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-demo-test-'));
  try {
    const { code, stdout, stderr } = await run(['--json'], {
      TMPDIR: folder,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
      DATA_DIR: join(folder, 'must-not-be-made'),
    });
    assert.equal(code, 0, stderr);
    const { held, steps } = JSON.parse(stdout);
    assert.equal(held, true);
    assert.deepEqual(
      steps.map(({ step }: { step: string }) => step),
      STEPS,
    );
    const facts = Object.fromEntries(steps.map((s: { step: string; facts: object }) => [s.step, s.facts]));
    assert.equal(facts.signature.recovered, facts.wallet.address);
    assert.equal(facts.again.activity, facts.record.activity);
    assert.deepEqual([facts.refusal['HTTP status'], facts.tampering['HTTP status']], [403, 401]);
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the demo as a person reads it', { skip }, async () => {
  const { code, stdout, stderr } = await run([], {});
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\n 1\. A throw-away service\n/);
  assert.match(stdout, /All 8 steps held, in \d+ ms\.\n$/);
});

test('a demo that finds no place for its data says so and exits 1', { skip }, async () => {
  const { code, stdout, stderr } = await run(['--json'], { TMPDIR: '/dev/null/nowhere' });
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /\/dev\/null\/nowhere/);
});
