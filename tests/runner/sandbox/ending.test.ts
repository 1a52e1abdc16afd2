import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endingOf } from '../../../src/runner/sandbox/ending.ts';

it('an ending shows messages of the sandbox, and no line of an app', () => {
  const facts = { hasRun: false, stop: undefined, counts: { oomKills: 0, refusedForks: 0 } };
  const limits = { memoryBytes: 1, processes: 1, cpus: 1 };
  const failed = endingOf({ ...facts, limits, code: 1, lastMessage: 'bwrap: execvp /app: Exec format error' });
  assert.match(failed.text, /^The sandbox did not start it: bwrap: execvp .* static executable for this machine\.$/);
  const killed = endingOf({ ...facts, limits, code: null, lastMessage: 'a line of the app' });
  assert.deepEqual([killed.reason, killed.text], ['signaled', 'SIGKILL ended it.']);
});
