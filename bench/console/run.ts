/**
 * The console, as `--only=console`. In Chromium it measures the first page, and frames and filters in the list of 10,000 activities (list.ts).
 * Then it measures the cost of ten open consoles to signatures. Beside one of two services ten clients listen and ask as pages do. In
 * further pairs clients ask for reviews without a pause.
 */
import { fileURLToPath } from 'node:url';
import { measurePair, PAIR_CONCURRENCY, type PairFigures, type PairOptions, pairLine } from '../pairs.ts';
import { type Program, startProgram } from '../servers.ts';
import type { Servers } from '../types.ts';
import { type ListFigures, measureList } from './list.ts';
import { withConsoles } from './waiting.ts';

export type ConsoleFigures = PairFigures & {
  operation: 'the console';
  list: ListFigures | undefined;
  reviews: PairFigures;
};

const CLIENTS = fileURLToPath(new URL('clients.ts', import.meta.url));
const MOST_LOSS = 1.03;
const CONSOLES = 10;
const NAMES = ['no console', 'ten consoles'] as const;
/** As many as are reviewed at once, so that there is always one. */
const REVIEWERS = 2;
const REVIEWED = ['no review', 'reviews without a pause'] as const;
/** They may take processor time from signatures, and none of them may stop. */
const MOST_HELD_MS = 50;

/** `more`: what the clients do. Both services have what consoles show. Throws if a client ended early: it measured nothing. */
async function beside(
  options: PairOptions,
  names: readonly [string, string],
  count: number,
  more: readonly string[] = [],
): Promise<PairFigures> {
  let credentials: string;
  let clients: Program | undefined;
  const figures = await measurePair(options, {
    names,
    async prepare(first, second) {
      await withConsoles(first, count);
      credentials = await withConsoles(second, count);
    },
    async begin({ ports }: Servers) {
      clients = startProgram([CLIENTS, `--port=${ports[0]}`, `--credentials=${credentials}`, ...more]);
      await clients.said;
    },
    async end() {
      clients?.go();
      await clients?.output.catch(() => {});
    },
  });
  await clients?.output;
  return figures;
}

export async function measureConsole(options: PairOptions & { quick: boolean }): Promise<ConsoleFigures> {
  const list = await measureList(options);
  const figures = await beside(options, NAMES, CONSOLES);
  const reviews = await beside(options, REVIEWED, REVIEWERS, ['--reviews']);
  return { operation: 'the console', list, ...figures, reviews };
}

export function consoleTable({ list, reviews, ...figures }: ConsoleFigures): string {
  const [without, held] = reviews.p99Ms;
  const goals: [boolean, string][] = [
    ...(list?.goals ?? []),
    [figures.cpu <= MOST_LOSS, `ten consoles: processor time of a signature at most ${MOST_LOSS} of that without`],
    [held - without <= MOST_HELD_MS, `reviews: p99 of a signature at most ${MOST_HELD_MS} ms more than without`],
  ];
  if (goals.some(([holds]) => !holds)) process.exitCode = 1;
  return [
    ...(list === undefined ? ['The list of activities: not measured, there is no Chromium'] : list.lines),
    '',
    `Signatures beside ten open consoles (sqlite, ${PAIR_CONCURRENCY} concurrent, ${figures.pairs} pairs of rounds)`,
    pairLine(figures, NAMES),
    `Signatures beside ${REVIEWERS} clients that ask for reviews without a pause`,
    `${pairLine(reviews, REVIEWED)}, p99 ${without.toFixed(1)} and ${held.toFixed(1)} ms`,
    '',
    ...goals.map(([holds, text]) => `${holds ? 'holds' : 'FAILS'}: ${text}`),
  ].join('\n');
}
