/** A turn in a queue. `end` starts the next turn. */
export type Turn = { key: string; hasEnded(): boolean; end(): void };

/** Resolves when the caller has its turn in the queue of `key`. */
export type Lines = (key: string) => Promise<Turn>;

type Start = () => void;

/**
 * One turn at a time for each key, in the order of arrival. No caller blocks the others: a turn ends after `turnMs` at the latest. A
 * caller that has waited for `patienceMs` continues without a turn.
 */
export function lines({ turnMs, patienceMs }: { turnMs: number; patienceMs: number }): Lines {
  /** A key exists while a caller has its turn. */
  const waiting = new Map<string, Set<Start>>();

  function next(key: string, line: Set<Start>): void {
    const [first] = line;
    if (first === undefined) waiting.delete(key);
    else first();
  }

  function turn(key: string, line: Set<Start>): Turn {
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      next(key, line);
    };
    const timer = setTimeout(end, turnMs);
    return { key, hasEnded: () => hasEnded, end };
  }

  return async (key) => {
    const line = waiting.get(key);
    if (line === undefined) {
      const made = new Set<Start>();
      waiting.set(key, made);
      return turn(key, made);
    }
    return new Promise((resolve) => {
      const leave = (turn: Turn) => {
        clearTimeout(timer);
        line.delete(start);
        resolve(turn);
      };
      const start = () => leave(turn(key, line));
      const timer = setTimeout(() => leave({ key, hasEnded: () => true, end: () => {} }), patienceMs);
      line.add(start);
    });
  };
}
