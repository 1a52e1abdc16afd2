import type { Progress } from '../operator/backup/progress.ts';

const PROGRESS_MS = 1000;

export const size = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} KB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(2)} GB`;

export const counted = (rows: Readonly<Record<string, number>>): string => {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `${total} rows of ${Object.keys(rows).length} tables`;
};

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Progress on standard error, at most once a second. `begins`: counts anew for the next part of the work. */
export function toldProgress(stopped: AbortSignal): Progress & { begins(part: string): void } {
  let told = performance.now();
  let [part, table, rows, bytes] = ['', '', 0, 0];
  const tell = () => {
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    process.stderr.write(`${part}: ${rows} rows, ${size(bytes)}, at ${table}\n`);
  };
  return {
    stopped,
    begins(next) {
      [part, table, rows, bytes] = [next, '', 0, 0];
    },
    row(at) {
      table = at;
      rows += 1;
      if (rows % 256 === 0) tell();
    },
    bytes(count) {
      bytes += count;
    },
  };
}

/** Runs work that Ctrl-C, or the end of its service, stops in good order. */
export async function stoppable<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const stopOnce = () => stop.abort(new Error('stopped'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stopOnce);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stopOnce);
  }
}
