/** How long a call may wait for its turn, and the error that it throws after that. */
type Patience = { ms: number; late(): Error };

/** Runs the work when it may begin. */
export type Turn = (<T>(work: () => Promise<T>) => Promise<T>) & { waiting(): number };

/** Limits concurrency to `most`. Further calls wait for their turn. */
export function limitConcurrency(most: number, patience?: Patience): Turn {
  let running = 0;
  const waiting = new Set<() => void>();

  const turn = () =>
    new Promise<void>((resolve, reject) => {
      waiting.add(go);
      const timer = patience && setTimeout(late, patience.ms);
      function go() {
        clearTimeout(timer);
        waiting.delete(go);
        resolve();
      }
      function late() {
        waiting.delete(go);
        reject(patience!.late());
      }
    });

  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (running < most) running++;
    else await turn();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next) next();
      else running--;
    }
  }
  return Object.assign(run, { waiting: () => waiting.size });
}
