/** Windows of about a second, with different work beside one load, and their results. */

/** Of processor time in seconds. */
export type Window = {
  kind: string;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  serviceCpu: number;
  nodeCpu: number;
  mined: number;
};

/** When each request of the load was answered, in milliseconds since 1970, and how long it took. */
export type Answers = { endedAt: readonly number[]; latency: readonly number[] };

export type Seen = Window & { latencies: number[] };

export type Figure = {
  kind: string;
  windows: number;
  perSecond: number;
  quartiles: [number, number];
  /** The median of the ratios to the control of the same block, and where it lies with 95 %. */
  ofControl?: number;
  interval?: [number, number];
  p50Ms: number;
  p99Ms: number;
  /** Microseconds of the service's processor time for each answer. */
  serviceCpu: number;
  nodeCores: number;
  minedPerSecond: number;
};

/** Gives 0 … n − 1. */
type Random = (n: number) => number;

const RESAMPLES = 2000;

function ordersOf<T>(kinds: readonly T[]): T[][] {
  if (kinds.length < 2) return [[...kinds]];
  return kinds.flatMap((kind) => ordersOf(kinds.filter((other) => other !== kind)).map((rest) => [kind, ...rest]));
}

/**
 * Blocks of each kind once: all orders in a random order, and then again. So slow changes of the machine affect each kind
 * alike.
 */
export function fairBlocks<T>(kinds: readonly T[], count: number, random: Random): T[][] {
  const blocks: T[][] = [];
  for (let left: T[][] = []; blocks.length < count; ) {
    if (left.length === 0) left = ordersOf(kinds);
    blocks.push(...left.splice(random(left.length), 1));
  }
  return blocks;
}

export function at(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function seenIn(windows: readonly Window[], { endedAt, latency }: Answers): Seen[] {
  return windows.map((window) => ({
    ...window,
    latencies: latency.filter((_, i) => endedAt[i]! >= window.from && endedAt[i]! < window.to),
  }));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/** Where the median lies with 95 %, by medians of samples drawn from the values with replacement. */
export function medianInterval(values: readonly number[], random: Random): [number, number] {
  const medians = Array.from({ length: RESAMPLES }, () => median(values.map(() => values[random(values.length)]!)));
  return [at(medians, 0.025), at(medians, 0.975)];
}

const seconds = ({ from, to }: Window) => (to - from) / 1000;
const perSecond = (seen: Seen) => seen.latencies.length / seconds(seen);

/** A figure of each kind, in the order given; in each block every kind is there once. */
export function figuresOf(
  blocks: readonly (readonly Seen[])[],
  kinds: readonly string[],
  control: string,
  random: Random,
): Figure[] {
  const inBlock = (block: readonly Seen[], kind: string) => perSecond(block.find((seen) => seen.kind === kind)!);
  return kinds.map((kind) => {
    const windows = blocks.flat().filter((seen) => seen.kind === kind);
    const rates = windows.map(perSecond);
    const latencies = windows.flatMap((seen) => seen.latencies);
    const sum = (of: (seen: Seen) => number) => windows.reduce((all, seen) => all + of(seen), 0);
    const ratios = blocks.map((block) => inBlock(block, kind) / inBlock(block, control));
    return {
      kind,
      windows: windows.length,
      perSecond: median(rates),
      quartiles: [at(rates, 0.25), at(rates, 0.75)],
      ...(kind === control ? {} : { ofControl: median(ratios), interval: medianInterval(ratios, random) }),
      p50Ms: at(latencies, 0.5),
      p99Ms: at(latencies, 0.99),
      serviceCpu: (sum((seen) => seen.serviceCpu) / latencies.length) * 1e6,
      nodeCores: sum((seen) => seen.nodeCpu) / sum(seconds),
      minedPerSecond: sum((seen) => seen.mined) / sum(seconds),
    };
  });
}
