import { readdirSync, readFileSync } from 'node:fs';
import { constants, monitorEventLoopDelay, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { type Family, histogram, type Labels, type Sample } from './families.ts';

const NANOSECONDS = 1e9;
const LAG_RESOLUTION_MS = 10;

type Values = () => Iterable<Sample>;
type Row = readonly [name: string, type: 'counter' | 'gauge', help: string, values: Values];

const one = (value: number | undefined, labels?: Labels): Sample[] =>
  value === undefined ? [] : [labels ? { value, labels } : { value }];

/** A value from /proc; undefined where there is none. */
function proc<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A member of /proc/self/status, in bytes. */
function memory(name: 'VmRSS' | 'VmSize' | 'VmData'): number | undefined {
  const text = proc(() => readFileSync('/proc/self/status', 'utf8'));
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function maxDescriptors(): number | undefined {
  const text = proc(() => readFileSync('/proc/self/limits', 'utf8'));
  const most = /^Max open files\s+(\d+)/m.exec(text ?? '')?.[1];
  return most === undefined ? undefined : Number(most);
}

function cpu(): Row[] {
  const used = (pick: (of: NodeJS.CpuUsage) => number) => () => one(pick(process.cpuUsage()) / 1e6);
  return [
    ['process_cpu_user_seconds_total', 'counter', 'Total user CPU time spent in seconds.', used(({ user }) => user)],
    ['process_cpu_system_seconds_total', 'counter', 'Total system CPU time spent in seconds.', used(({ system }) => system)],
    [
      'process_cpu_seconds_total',
      'counter',
      'Total user and system CPU time spent in seconds.',
      used(({ user, system }) => user + system),
    ],
  ];
}

function operatingSystem(now: () => number): Row[] {
  const started = Math.round(now() / 1000 - process.uptime());
  const open = () => proc(() => readdirSync('/proc/self/fd').length - 1);
  const most = maxDescriptors();
  return [
    ['process_start_time_seconds', 'gauge', 'Start time of the process since unix epoch in seconds.', () => one(started)],
    [
      'process_resident_memory_bytes',
      'gauge',
      'Resident memory size in bytes.',
      () => one(memory('VmRSS') ?? process.memoryUsage.rss()),
    ],
    ['process_virtual_memory_bytes', 'gauge', 'Virtual memory size in bytes.', () => one(memory('VmSize'))],
    ['process_heap_bytes', 'gauge', 'Process heap size in bytes.', () => one(memory('VmData'))],
    ['process_open_fds', 'gauge', 'Number of open file descriptors.', () => one(open())],
    ['process_max_fds', 'gauge', 'Maximum number of open file descriptors.', () => one(most)],
  ];
}

/** Delays since the last page: the last of these rows resets them. `nodejs_eventloop_lag_seconds` is the latest single one. */
function eventLoop(): Row[] {
  const delays = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delays.enable();
  let lag = 0;
  const measureLag = () => {
    const start = process.hrtime.bigint();
    setImmediate(() => {
      lag = Number(process.hrtime.bigint() - start) / NANOSECONDS;
    });
    return one(lag);
  };
  const row = (name: string, help: string, value: () => number): Row => [
    `nodejs_eventloop_lag_${name}_seconds`,
    'gauge',
    help,
    () => one(value() / NANOSECONDS),
  ];
  const percentile = (n: number) =>
    row(`p${n}`, `The ${n}th percentile of the recorded event loop delays.`, () => delays.percentile(n));
  const last = () => {
    const value = delays.percentile(99);
    delays.reset();
    return value;
  };
  return [
    ['nodejs_eventloop_lag_seconds', 'gauge', 'Lag of event loop in seconds.', measureLag],
    row('min', 'The minimum recorded event loop delay.', () => delays.min),
    row('max', 'The maximum recorded event loop delay.', () => delays.max),
    row('mean', 'The mean of the recorded event loop delays.', () => delays.mean),
    row('stddev', 'The standard deviation of the recorded event loop delays.', () => delays.stddev),
    percentile(50),
    percentile(90),
    row('p99', 'The 99th percentile of the recorded event loop delays.', last),
  ];
}

function counted(names: readonly string[]): Sample[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([type, value]) => ({ labels: { type }, value }));
}

/** `thing`: its name in the metrics; `names`: the types of the active ones. */
function active(thing: string, help: string, helpOfTotal: string, names: () => readonly string[]): Row[] {
  return [
    [`nodejs_active_${thing}`, 'gauge', help, () => counted(names())],
    [`nodejs_active_${thing}_total`, 'gauge', helpOfTotal, () => one(names().length)],
  ];
}

/** Not in Node.js's documentation; absent where a version no longer has them. */
type Undocumented = { _getActiveHandles?: () => object[]; _getActiveRequests?: () => object[] };

function activity(): Row[] {
  const { _getActiveHandles: handles, _getActiveRequests: requests } = process as Undocumented;
  const types = (list: (() => object[]) | undefined) => () => (list?.() ?? []).map((each) => each.constructor?.name ?? 'Object');
  return [
    ...active(
      'resources',
      'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
      'Total number of active resources.',
      () => process.getActiveResourcesInfo(),
    ),
    ...active(
      'handles',
      'Number of active libuv handles grouped by handle type. Every handle type is C++ class name.',
      'Total number of active handles.',
      types(handles),
    ),
    ...active(
      'requests',
      'Number of active libuv requests grouped by request type. Every request type is C++ class name.',
      'Total number of active requests.',
      types(requests),
    ),
  ];
}

function heap(): Row[] {
  const usage = (pick: (of: NodeJS.MemoryUsage) => number) => () => one(pick(process.memoryUsage()));
  type Space = ReturnType<typeof getHeapSpaceStatistics>[number];
  const spaces = (what: string, pick: (of: Space) => number): Row => [
    `nodejs_heap_space_size_${what}_bytes`,
    'gauge',
    `Process heap space size ${what} from Node.js in bytes.`,
    () =>
      getHeapSpaceStatistics().map((each) => ({
        labels: { space: each.space_name.replace(/_space$/, '') },
        value: pick(each),
      })),
  ];
  return [
    ['nodejs_heap_size_total_bytes', 'gauge', 'Process heap size from Node.js in bytes.', usage((of) => of.heapTotal)],
    ['nodejs_heap_size_used_bytes', 'gauge', 'Process heap size used from Node.js in bytes.', usage((of) => of.heapUsed)],
    ['nodejs_external_memory_bytes', 'gauge', 'Node.js external memory size in bytes.', usage((of) => of.external)],
    spaces('total', (of) => of.space_size),
    spaces('used', (of) => of.space_used_size),
    spaces('available', (of) => of.space_available_size),
  ];
}

function version(): Row {
  const [major, minor, patch] = process.versions.node.split('.') as [string, string, string];
  const labels = { version: process.version, major, minor, patch };
  return ['nodejs_version_info', 'gauge', 'Node.js version info.', () => one(1, labels)];
}

function garbageCollection(): Family {
  const kinds = new Map<number, string>([
    [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
    [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
    [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
    [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
  ]);
  const durations = histogram(
    {
      name: 'nodejs_gc_duration_seconds',
      help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
    },
    ['kind'],
    [0.001, 0.01, 0.1, 1, 2, 5],
  );
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as typeof entry & { detail: NodeGCPerformanceDetail }).detail;
      durations.observe(entry.duration / 1000, kinds.get(kind!) ?? 'other');
    }
  }).observe({ entryTypes: ['gc'] });
  return durations;
}

/** The metrics of the process that dashboards for Node.js expect, under their usual names. */
export function processFamilies(now: () => number): Family[] {
  const rows = [...cpu(), ...operatingSystem(now), ...eventLoop(), ...activity(), ...heap(), version()];
  const families = rows.map(([name, type, help, samples]): Family => ({ name, type, help, samples }));
  return [...families, garbageCollection()];
}
