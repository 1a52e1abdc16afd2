/**
 * The console, as `--only=console`. In Chromium it measures the first page, and frames and filters in the list of 10,000 activities (list.ts).
 * Then it measures the cost of ten open consoles to signatures. Beside one of two services ten clients listen and ask as pages do. First
 * the organization that they show signs as fast as it can. Then it signs at a rate, and another one as fast as it can. In further pairs
 * clients ask for reviews without a pause.
 */
import { fileURLToPath } from 'node:url';
import { measurePair, PAIR_CONCURRENCY, type PairFigures, type PairOptions, pairLine } from '../pairs.ts';
import { type Program, startProgram } from '../servers.ts';
import type { Servers } from '../types.ts';
import { type ListFigures, measureList } from './list.ts';
import { type Made, producer } from './steady.ts';
import { inAnother, withConsoles } from './waiting.ts';

export type ConsoleFigures = PairFigures & {
  operation: 'the console';
  list: ListFigures | undefined;
  another: PairFigures;
  reviews: PairFigures;
};

const CLIENTS = fileURLToPath(new URL('clients.ts', import.meta.url));
const MOST_LOSS = 1.03;
const CONSOLES = 10;
const NAMES = ['no console', 'ten consoles'] as const;
/** Signatures a second of the organization with consoles, beside another one. As in `npm run console:soak`. */
const RATE = 100;
/** Of them, this part may be missing: the machine is busy. */
const MOST_MISSING = 0.1;
/** As many as are reviewed at once, so that there is always one. */
const REVIEWERS = 2;
const REVIEWED = ['no review', 'reviews without a pause'] as const;
/** They may take processor time from signatures, and none of them may stop. */
const MOST_HELD_MS = 50;

type Beside = { names: readonly [string, string]; count: number; more?: readonly string[]; another?: boolean };

/** Both services sign at a rate in one more organization. */
function makers() {
  const making: ReturnType<typeof producer>[] = [];
  let began = 0;
  return {
    begin(places: readonly Servers[]) {
      began = performance.now();
      making.push(...places.map((place) => producer(place, RATE)));
    },
    /** Throws if one made fewer: the clients saw less than the bench says. */
    async end() {
      const due = ((performance.now() - began) / 1000) * RATE;
      const all: Made[] = await Promise.all(making.map((one) => one.end()));
      const few = all.find(({ made }) => made < (1 - MOST_MISSING) * due);
      if (few) throw new Error(`at ${RATE} signatures a second, only ${few.made} of ${due.toFixed(0)} were made`);
    },
  };
}

/**
 * `more`: what the clients do. `another`: they do it in an organization that signs at a rate, beside the measured one. Both services have
 * what consoles show. Throws if a client ended early: it measured nothing.
 */
async function beside(options: PairOptions, { names, count, more = [], another = false }: Beside): Promise<PairFigures> {
  let credentials: string;
  let clients: Program | undefined;
  const steady = makers();
  let places: Servers[] = [];
  const figures = await measurePair(options, {
    names,
    async prepare(...pair) {
      places = another ? await Promise.all(pair.map(inAnother)) : pair;
      for (const place of places) credentials = await withConsoles(place, count);
    },
    async begin({ ports }: Servers) {
      clients = startProgram([CLIENTS, `--port=${ports[0]}`, `--credentials=${credentials}`, ...more]);
      await clients.said;
      if (another) steady.begin(places);
    },
    async end() {
      await steady.end();
      clients?.go();
      await clients?.output.catch(() => {});
    },
  });
  await clients?.output;
  return figures;
}

export async function measureConsole(options: PairOptions & { quick: boolean }): Promise<ConsoleFigures> {
  const list = await measureList(options);
  const figures = await beside(options, { names: NAMES, count: CONSOLES });
  const another = await beside(options, { names: NAMES, count: CONSOLES, another: true });
  const reviews = await beside(options, { names: REVIEWED, count: REVIEWERS, more: ['--reviews'] });
  return { operation: 'the console', list, ...figures, another, reviews };
}

export function consoleTable({ list, another, reviews, ...figures }: ConsoleFigures): string {
  const [without, held] = reviews.p99Ms;
  const goals: [boolean, string][] = [
    ...(list?.goals ?? []),
    [figures.cpu <= MOST_LOSS, `ten consoles: processor time of a signature at most ${MOST_LOSS} of that without`],
    [another.cpu <= MOST_LOSS, `the same of another organization, beside ${RATE} signatures a second: at most ${MOST_LOSS}`],
    [held - without <= MOST_HELD_MS, `reviews: p99 of a signature at most ${MOST_HELD_MS} ms more than without`],
  ];
  if (goals.some(([holds]) => !holds)) process.exitCode = 1;
  return [
    ...(list === undefined ? ['The list of activities: not measured, there is no Chromium'] : list.lines),
    '',
    `Signatures beside ten open consoles (sqlite, ${PAIR_CONCURRENCY} concurrent, ${figures.pairs} pairs of rounds)`,
    pairLine(figures, NAMES),
    `Signatures of another organization, beside ${RATE} a second of the one that ten consoles show`,
    pairLine(another, NAMES),
    `Signatures beside ${REVIEWERS} clients that ask for reviews without a pause`,
    `${pairLine(reviews, REVIEWED)}, p99 ${without.toFixed(1)} and ${held.toFixed(1)} ms`,
    '',
    ...goals.map(([holds, text]) => `${holds ? 'holds' : 'FAILS'}: ${text}`),
  ].join('\n');
}
