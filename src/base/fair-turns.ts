/** Runs few works at a time. `payer`: the payer whose work it is. Undefined if too many calls wait: the work is not done. */
export type FairTurns = <T>(payer: string, work: () => Promise<T>) => Promise<T> | undefined;

/** Waiting calls take turns payer by payer, so that no payer waits for all calls of another one. `atOnce`: works that run together. */
export function fairTurns(mostWaiting: { payer: number; all: number }, atOnce = 1): FairTurns {
  const waiting = new Map<string, (() => void)[]>();
  let all = 0;
  let running = 0;

  function next(): void {
    const first = waiting.entries().next();
    if (first.done) {
      running--;
      return;
    }
    const [payer, turns] = first.value;
    const turn = turns.shift()!;
    all--;
    // Moves the payer to the end of the queue.
    waiting.delete(payer);
    if (turns.length > 0) waiting.set(payer, turns);
    turn();
  }

  async function inTurn<T>(turn: Promise<void> | undefined, work: () => Promise<T>): Promise<T> {
    await turn;
    try {
      return await work();
    } finally {
      next();
    }
  }

  return (payer, work) => {
    if (running < atOnce) {
      running++;
      return inTurn(undefined, work);
    }
    const turns = waiting.get(payer) ?? [];
    if (all >= mostWaiting.all || turns.length >= mostWaiting.payer) return undefined;
    all++;
    waiting.set(payer, turns);
    return inTurn(new Promise((turn) => turns.push(turn)), work);
  };
}
