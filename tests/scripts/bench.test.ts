import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { fairBlocks, figuresOf, median, medianInterval, type Seen, seenIn } from '../../bench/sending/windows.ts';
import { seeded } from '../support/seeded.ts';

const window = (kind: string, from: number) => ({ kind, from, to: from + 500, serviceCpu: 0.25, nodeCpu: 0.1, mined: 10 });

test('each kind is equally often at each place of a block', () => {
  const blocks = fairBlocks(['a', 'b', 'c'], 12, seeded(1));
  assert.equal(blocks.length, 12);
  for (const place of [0, 1, 2])
    for (const kind of ['a', 'b', 'c']) assert.equal(blocks.filter((block) => block[place] === kind).length, 4);
  assert.notDeepEqual(fairBlocks(['a', 'b', 'c'], 6, seeded(2)), fairBlocks(['a', 'b', 'c'], 6, seeded(3)));
});

test('answers belong to the window in which they came', () => {
  const answers = { endedAt: [99, 100, 599.9, 600, 1000], latency: [1, 2, 3, 4, 5] };
  const seen = seenIn([window('a', 100), window('b', 600)], answers);
  assert.deepEqual(
    seen.map(({ kind, latencies }) => [kind, latencies]),
    [
      ['a', [2, 3]],
      ['b', [4, 5]],
    ],
  );
});

test('a ratio is that of neighbouring windows, whatever the machine does between blocks', () => {
  const seen = (kind: string, count: number): Seen => ({
    ...window(kind, 0),
    latencies: Array.from({ length: count }, () => count),
  });
  // Each block has a machine of its own speed; sends cost a tenth in all of them.
  const blocks = [100, 1000, 300, 50].map((speed) => [seen('sends', speed * 0.9), seen('control', speed)]);
  const [control, sends] = figuresOf(blocks, ['control', 'sends'], 'control', seeded(1));
  assert.deepEqual([control!.ofControl, sends!.ofControl, sends!.interval], [undefined, 0.9, [0.9, 0.9]]);
  assert.deepEqual([control!.windows, control!.perSecond, control!.quartiles], [4, 400, [200, 2000]]);
  assert.equal(control!.minedPerSecond, 20);
  assert.ok(Math.abs(control!.serviceCpu - 1e6 / 1450) < 1e-6, String(control!.serviceCpu));
  assert.ok(Math.abs(control!.nodeCores - 0.2) < 1e-9, String(control!.nodeCores));
});

test('an interval of a median holds it, and is narrow where values agree', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  const random = seeded(1);
  const values = Array.from({ length: 15 }, () => 0.8 + random(200) / 1000);
  const [low, high] = medianInterval(values, random);
  assert.ok(low < median(values) && median(values) < high && high - low < 0.2, `${low} ${median(values)} ${high}`);
  assert.deepEqual(medianInterval([1, 1, 1], random), [1, 1]);
});

const program = resolve(import.meta.dirname, '../../bench/run.ts');

test('the bench measures the service and the floor in turn, at each concurrency', () => {
  const asked = [
    '--only=operations',
    '--operation=create_sub_organization',
    '--rounds=2',
    '--seconds=0.3',
    '--warmup=0.3',
    '--json',
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...asked], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const figures = JSON.parse(stdout) as Record<string, unknown>[];
  assert.deepEqual(
    figures.map(({ operation, engine, processes, concurrency, rounds }) => [operation, engine, processes, concurrency, rounds]),
    [1, 16].map((concurrency) => ['create_sub_organization', 'sqlite', 1, concurrency, 2]),
  );
  for (const figure of figures)
    for (const name of ['requestsPerSecond', 'p50Ms', 'p99Ms', 'floorRequestsPerSecond', 'floorP50Ms', 'floorP99Ms'])
      assert.ok((figure[name] as number) > 0, `${name}: ${String(figure[name])}`);
  const lines = stderr.split('\n').filter((line) => line.startsWith('round '));
  assert.deepEqual(
    lines.map((line) => /^round (\d)\/2, .*, (service|floor), concurrency (\d+): /.exec(line)?.slice(1).join(' ')),
    ['1', '16'].flatMap((concurrency) =>
      ['1 service', '1 floor', '2 floor', '2 service'].map((turn) => `${turn} ${concurrency}`),
    ),
  );
});

test('the bench compares services without the record for auditors and with it, in pairs', () => {
  const asked = ['--only=audit', '--rounds=2', '--seconds=0.3', '--warmup=0.3', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, [program, ...asked], { encoding: 'utf8' });
  // So few rounds prove nothing, so the bench may fail.
  assert.match(stderr, /(?:holds|FAILS): the 95 % interval/);
  const figures = JSON.parse(stdout) as { record: string; pairs: number; requestsPerSecond: number; interval?: number[] }[];
  assert.deepEqual(
    figures.map(({ record, pairs, interval }) => [record, pairs, interval?.length]),
    [
      ['none', 2, undefined],
      ['facts', 2, 2],
      ['facts, shipped to a file', 2, 2],
    ],
  );
  for (const { requestsPerSecond } of figures) assert.ok(requestsPerSecond > 0);
});

test('the bench says what it can be asked for', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^usage: npm run bench -- [\s\S]+--sends-per-second/);
});
