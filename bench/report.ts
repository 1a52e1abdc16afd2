import type { Measured } from './load.ts';
import type { Shape } from './servers.ts';

export type Configuration = { operation: string; engine: 'sqlite' | 'postgres'; processes: number; concurrency: number };

export type Figures = Configuration & {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  requestsPerCpuSecond?: number;
  floorRequestsPerSecond: number;
  floorP50Ms: number;
  floorP99Ms: number;
  floorRequestsPerCpuSecond?: number;
  databaseMicroseconds?: number;
  floorDatabaseMicroseconds?: number;
  /** Median throughput of the service divided by median throughput of the floor. */
  ratio: number;
  /** The smallest and the largest ratio of one round: the noise of the machine. */
  ratioRange: [number, number];
  /** The same of requests per processor second: other programs on the machine change it little. */
  cpuRatio?: number;
  /** Processor time of a request, the database's server included, by the floor's. */
  togetherRatio?: number;
} & Run;

type Run = { floor: Shape; rounds: number; secondsPerRound: number; answerBytes: number; node: string };

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));

function medians(of: Measured[]) {
  const cpu = of.flatMap(({ requestsPerCpuSecond }) => requestsPerCpuSecond ?? []);
  const database = of.flatMap(({ databaseMicroseconds }) => databaseMicroseconds ?? []);
  return {
    requestsPerSecond: round(median(of.map((one) => one.requestsPerSecond)), 1),
    p50Ms: round(median(of.map((one) => one.p50Ms)), 3),
    p99Ms: round(median(of.map((one) => one.p99Ms)), 3),
    requestsPerCpuSecond: cpu.length === of.length ? round(median(cpu), 1) : undefined,
    databaseMicroseconds: database.length === of.length ? round(median(database), 1) : undefined,
  };
}

export function summarize(configuration: Configuration, service: Measured[], floor: Measured[], run: Run): Figures {
  const ours = medians(service);
  const least = medians(floor);
  const cpuRatio = (ours.requestsPerCpuSecond ?? Number.NaN) / (least.requestsPerCpuSecond ?? Number.NaN);
  const together = (one: typeof ours) =>
    1e6 / (one.requestsPerCpuSecond ?? Number.NaN) + (one.databaseMicroseconds ?? Number.NaN);
  const togetherRatio = together(ours) / together(least);
  const ratios = service.map((one, index) => one.requestsPerSecond / floor[index]!.requestsPerSecond);
  return {
    ...configuration,
    requestsPerSecond: ours.requestsPerSecond,
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    ...(ours.requestsPerCpuSecond === undefined ? {} : { requestsPerCpuSecond: ours.requestsPerCpuSecond }),
    floorRequestsPerSecond: least.requestsPerSecond,
    floorP50Ms: least.p50Ms,
    floorP99Ms: least.p99Ms,
    ...(least.requestsPerCpuSecond === undefined ? {} : { floorRequestsPerCpuSecond: least.requestsPerCpuSecond }),
    ...(ours.databaseMicroseconds === undefined ? {} : { databaseMicroseconds: ours.databaseMicroseconds }),
    ...(least.databaseMicroseconds === undefined ? {} : { floorDatabaseMicroseconds: least.databaseMicroseconds }),
    ratio: round(ours.requestsPerSecond / least.requestsPerSecond, 3),
    ratioRange: [round(Math.min(...ratios), 3), round(Math.max(...ratios), 3)],
    ...(Number.isNaN(cpuRatio) ? {} : { cpuRatio: round(cpuRatio, 3) }),
    ...(Number.isNaN(togetherRatio) ? {} : { togetherRatio: round(togetherRatio, 3) }),
    ...run,
  };
}

/** Microseconds of processor time for a request. */
const each = (perCpuSecond: number | undefined): string => (perCpuSecond === undefined ? '–' : (1e6 / perCpuSecond).toFixed(0));

const COLUMNS: [string, (of: Figures) => string][] = [
  ['operation', (of) => of.operation],
  ['engine', (of) => of.engine],
  ['processes', (of) => String(of.processes)],
  ['concurrency', (of) => String(of.concurrency)],
  ['', () => 'service\nfloor'],
  ['requests/s', (of) => `${of.requestsPerSecond.toFixed(0)}\n${of.floorRequestsPerSecond.toFixed(0)}`],
  ['p50 ms', (of) => `${of.p50Ms.toFixed(2)}\n${of.floorP50Ms.toFixed(2)}`],
  ['p99 ms', (of) => `${of.p99Ms.toFixed(2)}\n${of.floorP99Ms.toFixed(2)}`],
  ['CPU µs', (of) => `${each(of.requestsPerCpuSecond)}\n${each(of.floorRequestsPerCpuSecond)}`],
  ['database µs', (of) => `${of.databaseMicroseconds?.toFixed(0) ?? '–'}\n${of.floorDatabaseMicroseconds?.toFixed(0) ?? '–'}`],
  ['ratio', (of) => of.ratio.toFixed(2)],
  ['of CPU', (of) => of.cpuRatio?.toFixed(2) ?? '–'],
  ['CPU by floor', (of) => (of.togetherRatio ?? (of.cpuRatio && 1 / of.cpuRatio))?.toFixed(2) ?? '–'],
  ['rounds', (of) => `${of.ratioRange[0].toFixed(2)}–${of.ratioRange[1].toFixed(2)}`],
];

const UNSTEADY = 1.3;

/** Two lines for each configuration: the service, and under it the floor. */
export function table(figures: Figures[]): string {
  const rows = [COLUMNS.map(([name]) => name)];
  for (const of of figures) {
    const cells = COLUMNS.map(([, cell]) => cell(of).split('\n'));
    rows.push(...[0, 1].map((line) => cells.map((lines) => lines[line] ?? '')));
  }
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const text = rows.map((row) => row.map((cell, column) => cell.padStart(widths[column]!)).join('  ')).join('\n');
  const run = figures[0];
  if (run === undefined) return text;
  const seconds = [...new Set(figures.map((one) => one.secondsPerRound))].toSorted().join(' or ');
  const title = `Medians of ${run.rounds} rounds of ${seconds} s, floor: ${run.floor}, Node.js ${run.node}`;
  const apart = figures.some(({ ratioRange: [least, most] }) => most > least * UNSTEADY);
  const warning =
    'The rounds are far apart: other programs were busy on this machine. Believe the column "of CPU", or run it again.';
  return `${title}\n\n${text}${apart ? `\n\n${warning}` : ''}`;
}
