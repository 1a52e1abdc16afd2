/** Shows at intervals how many files have ended, the estimated time left, and the slow files. */

const EVERY_MS = 20_000;

export interface Progress {
  began(file: string): void;
  ended(file: string): void;
  stop(): void;
  /** How many files have ended, and which were running. */
  summary(): string;
}

const minutes = (ms: number) => (ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`);

export function progressOf(count: number, say: (line: string) => void): Progress {
  const started = performance.now();
  const running = new Map<string, number>();
  const done = new Set<string>();
  const tell = () => {
    const now = performance.now();
    const slow = [...running].filter(([, since]) => now - since >= EVERY_MS);
    // The longest files begin first.
    const left = done.size < count / 10 ? '' : `, some ${minutes(((now - started) / done.size) * (count - done.size))} left`;
    const named = slow.map(([file, since]) => `${file} (${Math.round((now - since) / 1000)} s so far)`).join(', ');
    say(`...  ${done.size} of ${count} files${left}${named && `; slow: ${named}`}`);
  };
  const timer = setInterval(tell, EVERY_MS);
  return {
    began: (file) => void running.set(file, performance.now()),
    ended(file) {
      running.delete(file);
      done.add(file);
    },
    stop: () => clearInterval(timer),
    summary: () =>
      `${done.size} of ${count} files had ended${running.size === 0 ? '' : `, not ${[...running.keys()].join(', ')}`}`,
  };
}
