/** A list of any length: its first rows and those that are never folded, and a button for more. It is drawn a part a frame. */
import { Fragment, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { grouped } from '../../../review/grouped.ts';
import { Button } from './button.tsx';

const PART = 200;
const PRESS = 1000;

type Rows<T> = {
  rows: readonly T[];
  /** Constant: a part whose rows are the same is not drawn again. */
  draw: (row: T, index: number) => ReactNode;
  /** Constant too. The row is drawn wherever it is in the list. */
  stays?: (row: T) => boolean;
};

const never = (): boolean => false;
const partOf = (index: number): number => Math.floor(index / PART);
const count = (number: number): string => grouped(String(number));

/** Grows by one a frame, so that no list holds the page up. */
function usePaced(wanted: number): number {
  const [now, setNow] = useState(1);
  useEffect(() => {
    if (now >= wanted) return;
    const frame = requestAnimationFrame(() => setNow(now + 1));
    return () => cancelAnimationFrame(frame);
  }, [now, wanted]);
  return Math.min(now, wanted);
}

/** Rows of one part: those before `until`, and those that stay. */
function PartRows<T>({ rows, draw, stays = never, from, until }: Rows<T> & { from: number; until: number }): ReactNode {
  return rows.slice(from, from + PART).map((row, i) =>
    from + i < until || stays(row) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: rows have a fixed order
      <Fragment key={i}>{draw(row, from + i)}</Fragment>
    ) : null,
  );
}
const Part = memo(PartRows) as typeof PartRows;

type Props<T> = Rows<T> & {
  as: 'dl' | 'ol' | 'ul';
  className: string;
  /** In the plural. */
  what: string;
  /** Beside the count of a list that is folded. */
  note?: string;
};

export function Long<T>({ as: List, className, what, note, rows, draw, stays = never }: Props<T>) {
  const [presses, setPresses] = useState(0);
  const list = useRef<HTMLElement>(null);
  const seeks = useRef<number>(undefined);
  const foldable = useMemo(() => [...rows.keys()].filter((i) => i >= PART && !stays(rows[i]!)), [rows, stays]);
  const withStaying = useMemo(() => [...new Set([...rows.keys()].filter((i) => stays(rows[i]!)).map(partOf))], [rows, stays]);
  const wanted = foldable[presses * PRESS] ?? rows.length;
  const open = usePaced(Math.ceil(wanted / PART));
  const drawn = usePaced(withStaying.length);
  const until = Math.min(wanted, open * PART);
  const left = Math.max(foldable.length - presses * PRESS, 0);
  const parts = [...Array(open).keys(), ...withStaying.slice(0, drawn).filter((part) => part >= open)];
  // A press goes on at the first row that it brought.
  useEffect(() => {
    const at = seeks.current;
    if (at === undefined || until <= at) return;
    seeks.current = undefined;
    const row = list.current?.children[at];
    if (!(row instanceof HTMLElement)) return;
    row.tabIndex = -1;
    row.focus();
  }, [until]);
  return (
    <>
      {left > 0 && (
        <p className="dim">
          {count(rows.length - left)} of {count(rows.length)} {what} are shown. {note}
        </p>
      )}
      <List ref={list as never} className={className}>
        {parts.map((part) => (
          <Part key={part} {...{ rows, draw, stays }} from={part * PART} until={Math.min(until, (part + 1) * PART)} />
        ))}
      </List>
      {left > 0 && (
        <div className="more">
          <Button
            onPress={() => {
              seeks.current = wanted;
              setPresses(presses + 1);
            }}
          >
            Show {count(Math.min(left, PRESS))} more {what}
          </Button>
        </div>
      )}
    </>
  );
}
