import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { ownFolder, prepareV2 } from '../../../src/runner/sandbox/cgroups/find.ts';
import { isLeftover, ownedName } from '../../../src/runner/sandbox/cgroups/remove.ts';
import { cgroupsV2 } from '../../../src/runner/sandbox/cgroups/v2.ts';
import { waitFor } from '../../support/wait.ts';

const base = mkdtempSync(join(tmpdir(), 'cs-cgroups-'));
after(() => rmSync(base, { recursive: true, force: true }));

/** A folder with the files that the kernel makes. */
function make(folder: string, files: Record<string, string>): string {
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const read = (...path: string[]) => readFileSync(join(base, ...path), 'utf8').trim();

const LIMITS = { memoryBytes: 1_000_000, processes: 7, cpus: 0.25 };
const FILES = {
  'cgroup.procs': '',
  'memory.max': '',
  'memory.oom.group': '',
  'memory.events': 'low 0\noom 3\noom_kill 2\n',
  'pids.max': '',
  'pids.events': 'max 5\n',
  'cpu.max': '',
  'cgroup.kill': '',
};

it('a group of version 2 has its limits, counts and kill', () => {
  const cgroups = cgroupsV2(base, (folder) => make(folder, FILES));
  const group = cgroups.create('app', LIMITS);
  assert.deepEqual(
    [read('app', 'memory.max'), read('app', 'pids.max'), read('app', 'cpu.max')],
    ['1000000', '7', '25000 100000'],
  );
  assert.equal(read('app', 'memory.oom.group'), '1');
  assert.deepEqual(group.counts(), { oomKills: 2, refusedForks: 5 });
  assert.deepEqual(group.joinFiles, [join(base, 'app', 'cgroup.procs')]);
  group.kill();
  assert.deepEqual([read('app', 'pids.max')[0], read('app', 'cgroup.kill')], ['0', '1']);
  assert.deepEqual(cgroups.names(), ['app']);
});

it('a group whose limit cannot be written is not made', () => {
  const cgroups = cgroupsV2(base, (folder) => mkdirSync(folder));
  assert.throws(() => cgroups.create('unlimited', LIMITS), { code: 'ENOENT' });
  assert.ok(!readdirSync(base).includes('unlimited'));
});

it('the base of version 2 gives its controllers to its children', () => {
  const own = make(join(base, 'unit'), { 'cgroup.controllers': 'cpu memory pids\n', 'cgroup.subtree_control': '' });
  make(join(own, 'runner'), { 'cgroup.procs': '' });
  assert.equal(prepareV2(own, 42), own);
  assert.equal(read('unit', 'runner', 'cgroup.procs'), '42');
  assert.equal(read('unit', 'cgroup.subtree_control'), '+memory +pids +cpu');
  assert.equal(prepareV2(join(own, 'runner'), 42), own, 'a runner that was moved by systemd');
  const poor = make(join(base, 'poor'), { 'cgroup.controllers': 'cpu\n' });
  assert.throws(() => prepareV2(poor, 42), /lacks the controllers memory, pids$/);
});

it('the group of this process is found below its mount', () => {
  const groups = '4:memory:/docker/abc/unit\n1:cpu,cpuacct:/\n0::/system.slice/runner.service\n';
  const mounts = [
    '30 29 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
    '31 29 0:27 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    '32 29 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  ].join('\n');
  assert.equal(ownFolder('', groups, mounts), '/sys/fs/cgroup/unified/system.slice/runner.service');
  assert.equal(ownFolder('memory', groups, mounts), '/sys/fs/cgroup/memory/unit');
  assert.equal(ownFolder('cpu', groups, mounts), '/sys/fs/cgroup/cpu,cpuacct');
  assert.equal(ownFolder('pids', groups, mounts), undefined);
});

it('only a dead runner leaves a leftover', async () => {
  assert.ok(!isLeftover(ownedName('1')));
  assert.ok(isLeftover(`countersign-app.${process.pid}.1.1`));
  assert.ok(isLeftover('countersign-app.4194305.1.1'));
  assert.ok(!isLeftover('another.1.2.3'));
  // Its parent has not noticed that it ended.
  const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60']);
  try {
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(line);
    const stat = await waitFor('an ended process', () => {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return text.includes(') Z ') && text;
    });
    assert.ok(isLeftover(`countersign-app.${pid}.${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}.1`));
  } finally {
    parent.kill('SIGKILL');
  }
});
