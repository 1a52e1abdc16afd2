/** The rows of a long table that are seen, and some around them. CSS gives all rows one height, which is measured. */
import { type CSSProperties, useEffect, useState } from 'react';

const AROUND = 20;
/** The window moves by this many rows, so that not each pixel draws rows. */
const STEP = 10;
/** Before a height is known. */
const FIRST: Part = { from: 0, to: 80, height: 0 };

type Part = { from: number; to: number; height: number };

/** From the first row's top to the next one's: borders of neighbours may be one. */
function heightOf(rows: readonly Element[]): number {
  const [first, second] = rows.map((row) => row.getBoundingClientRect());
  if (first === undefined) return 0;
  return second === undefined ? first.height : second.top - first.top;
}

function partOf(box: Element, before: Part): Part {
  const height = heightOf([...box.querySelectorAll('tbody tr')].slice(0, 2)) || before.height;
  if (height === 0) return before;
  const first = Math.max(0, Math.floor(-box.getBoundingClientRect().top / height) - AROUND);
  const from = first - (first % STEP);
  const to = from + Math.ceil(innerHeight / height) + 2 * AROUND + STEP;
  return from === before.from && to === before.to && height === before.height ? before : { from, to, height };
}

/** `ref` and `style` are of the box around the table, which is as high as all rows together. */
export function useWindow(count: number): { ref(box: HTMLElement | null): void; style: CSSProperties; from: number; to: number } {
  const [box, ref] = useState<HTMLElement | null>(null);
  const [part, setPart] = useState(FIRST);
  useEffect(() => {
    if (box === null) return;
    let frame = 0;
    const look = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setPart((before) => partOf(box, before));
      });
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(box);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [box]);
  const to = Math.min(part.to, count);
  const from = Math.min(part.from, Math.max(0, to - STEP));
  return { ref, style: { paddingTop: from * part.height, paddingBottom: (count - to) * part.height }, from, to };
}
