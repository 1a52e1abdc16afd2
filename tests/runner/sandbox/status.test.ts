import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { readStatus } from '../../../src/runner/sandbox/status.ts';

it("bubblewrap's status is read line by line, and a line that is no status means that no sandbox was made", async () => {
  const of = (...parts: string[]) => readStatus(Readable.from(parts));
  assert.deepEqual(await of('{"child-pid": 4, "net-name', 'space": 5}\n{"exit-code": 0}\n').started, { pid: 4, netNamespace: 5 });
  for (const line of ['{"child-pid": 4\n', 'bwrap: no\n', 'null\n', '\n'])
    assert.deepEqual(await of(line).started, { pid: undefined, netNamespace: undefined }, line);
  assert.deepEqual(await of().started, { pid: undefined, netNamespace: undefined });
});
