/**
 * The console, as `--only=console`. In the list of 10,000 activities it measures frames and filters (list.ts). Then it measures the cost of
 * ten open consoles to signatures. Two services sign in turn, one with ten clients that listen and ask as pages do. In each round both have their turn, so the ratio of one round is that of a pair.
 */
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { median, medianInterval } from '../sending/windows.ts';
import { type Program, startProgram, startService } from '../servers.ts';
import { type Contender, measureInTurn, warmUp } from '../turns.ts';
import type { Servers } from '../types.ts';
import { signRawPayload } from '../workloads.ts';
import { type ListFigures, measureList } from './list.ts';

export type ConsoleFigures = {
  operation: 'the console';
  list: ListFigures | undefined;
  pairs: number;
  /** Without and with ten clients. */
  requestsPerSecond: [number, number];
  /** Processor time of a signature by that without clients: the median of pairs, and its 95 % interval. */
  cpu: number;
  interval: [number, number];
  node: string;
};

type Options = {
  program: string;
  quick: boolean;
  rounds: number;
  seconds: number | undefined;
  warmup: number | undefined;
  say(text: string): void;
};

const CLIENTS = fileURLToPath(new URL('clients.ts', import.meta.url));
const CONCURRENCY = 32;
const MOST_LOSS = 1.03;

async function withClients({ ports, credentialsFile }: Servers): Promise<Program> {
  const clients = startProgram([CLIENTS, `--port=${ports[0]}`, `--credentials=${credentialsFile}`]);
  await Promise.race([clients.said, clients.output]);
  return clients;
}

export async function measureConsole(options: Options): Promise<ConsoleFigures> {
  const { program, rounds, seconds, warmup, say } = options;
  const list = await measureList(options);
  const started: Servers[] = [];
  let clients: Program | undefined;
  try {
    const contenders: Contender[] = [];
    for (const name of ['no console', 'ten consoles']) {
      const servers = await startService({ processes: 1, databaseUrl: undefined }, program);
      started.push(servers);
      contenders.push({ ...servers, workload: signRawPayload, name });
    }
    await warmUp(contenders, warmup);
    clients = await withClients(started[1]!);
    const [without, beside] = await measureInTurn(contenders, { concurrency: CONCURRENCY, rounds, seconds }, say);
    const ratios = without!.map((one, i) => (one.requestsPerCpuSecond ?? Number.NaN) / (beside![i]!.requestsPerCpuSecond ?? 1));
    return {
      operation: 'the console',
      list,
      pairs: rounds,
      requestsPerSecond: [
        median(without!.map((one) => one.requestsPerSecond)),
        median(beside!.map((one) => one.requestsPerSecond)),
      ],
      cpu: median(ratios),
      interval: medianInterval(ratios, randomInt),
      node: process.version,
    };
  } finally {
    clients?.go();
    await clients?.output.catch((error: Error) => say(error.message));
    for (const { stop } of started) await stop();
  }
}

export function consoleTable({ list, pairs, requestsPerSecond, cpu, interval: [low, high] }: ConsoleFigures): string {
  const [without, beside] = requestsPerSecond;
  const goals: [boolean, string][] = [
    ...(list?.goals ?? []),
    [cpu <= MOST_LOSS, `ten consoles: processor time of a signature at most ${MOST_LOSS} of that without`],
  ];
  if (goals.some(([holds]) => !holds)) process.exitCode = 1;
  return [
    ...(list === undefined ? ['The list of activities: not measured, there is no Chromium'] : list.lines),
    '',
    `Signatures beside ten open consoles (sqlite, ${CONCURRENCY} concurrent, ${pairs} pairs of rounds)`,
    `no console ${without.toFixed(0)}/s, ten consoles ${beside.toFixed(0)}/s, CPU ${cpu.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
    '',
    ...goals.map(([holds, text]) => `${holds ? 'holds' : 'FAILS'}: ${text}`),
  ].join('\n');
}
