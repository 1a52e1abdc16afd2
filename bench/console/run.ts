/**
 * The console, as `--only=console`. In the list of 10,000 activities it measures frames and filters (list.ts). Then it measures the cost of
 * ten open consoles to signatures. Beside one of two services ten clients listen and ask as pages do.
 */
import { fileURLToPath } from 'node:url';
import { measurePair, PAIR_CONCURRENCY, type PairFigures, type PairOptions, pairLine } from '../pairs.ts';
import { type Program, startProgram } from '../servers.ts';
import type { Servers } from '../types.ts';
import { type ListFigures, measureList } from './list.ts';

export type ConsoleFigures = PairFigures & { operation: 'the console'; list: ListFigures | undefined };

const CLIENTS = fileURLToPath(new URL('clients.ts', import.meta.url));
const MOST_LOSS = 1.03;
const NAMES = ['no console', 'ten consoles'] as const;

async function withClients({ ports, credentialsFile }: Servers): Promise<Program> {
  const clients = startProgram([CLIENTS, `--port=${ports[0]}`, `--credentials=${credentialsFile}`]);
  await Promise.race([clients.said, clients.output]);
  return clients;
}

export async function measureConsole(options: PairOptions & { quick: boolean }): Promise<ConsoleFigures> {
  const list = await measureList(options);
  let clients: Program | undefined;
  const figures = await measurePair(options, {
    names: NAMES,
    async begin(second) {
      clients = await withClients(second);
    },
    async end() {
      clients?.go();
      await clients?.output.catch((error: Error) => options.say(error.message));
    },
  });
  return { operation: 'the console', list, ...figures };
}

export function consoleTable({ list, ...figures }: ConsoleFigures): string {
  const goals: [boolean, string][] = [
    ...(list?.goals ?? []),
    [figures.cpu <= MOST_LOSS, `ten consoles: processor time of a signature at most ${MOST_LOSS} of that without`],
  ];
  if (goals.some(([holds]) => !holds)) process.exitCode = 1;
  return [
    ...(list === undefined ? ['The list of activities: not measured, there is no Chromium'] : list.lines),
    '',
    `Signatures beside ten open consoles (sqlite, ${PAIR_CONCURRENCY} concurrent, ${figures.pairs} pairs of rounds)`,
    pairLine(figures, NAMES),
    '',
    ...goals.map(([holds, text]) => `${holds ? 'holds' : 'FAILS'}: ${text}`),
  ].join('\n');
}
