/** A turn in a line. `end` lets the next one in. */
export type Turn = { key: string; hasEnded(): boolean; end(): void };

/** Resolves when it is one's turn in the line of `key`. */
export type Lines = (key: string) => Promise<Turn>;

type Start = () => void;

/**
 * One at a time for each key, in the order of arrival. Nobody holds the others up: a turn that lasts longer than `turnMs` is over, and
 * who has waited for `patienceMs` goes on without one.
 */
export function lines({ turnMs, patienceMs }: { turnMs: number; patienceMs: number }): Lines {
  /** A key is there while somebody has its turn. */
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
