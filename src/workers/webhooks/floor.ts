import type { Clock } from '../../base/clock.ts';

/** Longer than transactions take, and than a process has an endpoint while it attempts deliveries. */
const LATE_MS = 60_000;

type Look<Row> = {
  /** `after`: exclusive. Undefined: from the start. */
  read(after: number | undefined): Promise<Row[]>;
  /** A key up to which there was no row. Undefined: it is not known. */
  below(found: Row[]): number | undefined;
};

const lower = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? one : Math.min(one, other);

/**
 * Looks for the first rows of an index. While an old transaction is open, PostgreSQL keeps the entries of rows that have left the index.
 * A look from the start walks over all of them. So a look begins where there was no row a minute or two ago. A longer transaction may
 * still add a row below. So once in this time a look begins at the start.
 */
export function floored(elapsed: Clock) {
  let raisedAt = elapsed.now();
  let floor: number | undefined;
  let next: number | undefined;
  let latest: number | undefined;
  return async <Row>({ read, below }: Look<Row>): Promise<Row[]> => {
    const now = elapsed.now();
    const isToRaise = now - raisedAt >= LATE_MS;
    const found = await read(isToRaise ? undefined : floor);
    const free = below(found);
    if (isToRaise) [raisedAt, floor, next] = [now, lower(next, free), latest];
    latest = free ?? latest;
    return found;
  };
}
