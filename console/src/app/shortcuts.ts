/** Keys that go to a page, or move in a list. None of them changes anything at the service. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useLook } from './look.ts';

const PAGES = { o: '/overview', a: '/approvals', l: '/activities', u: '/account' } as const;

export const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['g o', 'Overview'],
  ['g a', 'Approvals'],
  ['g l', 'Activities'],
  ['g u', 'Account'],
  ['j', 'Next in the list'],
  ['k', 'The one before'],
  ['/', 'First filter'],
  ['?', 'This list'],
];

/** Links that are rows of a list. */
const ROWS = '.requests a, table.activities td a:first-child';
const FILTERS = 'search select, search input';
/** The second key of a pair comes within this time. */
const PAIR_MS = 1500;

const isTyped = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName));

/** From the open or focused row, or the first that is seen. */
function move(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.getAttribute('aria-current') === 'page');
  const next = at >= 0 ? at + by : rows.findIndex((row) => row.getBoundingClientRect().top >= 0);
  rows[next]?.focus();
}

export function useShortcuts(isIn: boolean, showList: () => void): void {
  const { shortcuts } = useLook();
  const navigate = useNavigate();
  useEffect(() => {
    if (!shortcuts || !isIn) return;
    let pairUntil = 0;
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, timeStamp } = event;
      const isElsewhere = isTyped(event.target) || document.querySelector('[role=dialog]') !== null;
      if (ctrlKey || metaKey || altKey || isElsewhere) return;
      const page = timeStamp < pairUntil && key in PAGES ? PAGES[key as keyof typeof PAGES] : undefined;
      pairUntil = key === 'g' ? timeStamp + PAIR_MS : 0;
      if (page) void navigate({ to: page });
      else if (key === 'j') move(1);
      else if (key === 'k') move(-1);
      else if (key === '?') showList();
      else if (key === '/') document.querySelector<HTMLElement>(FILTERS)?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [shortcuts, isIn, navigate, showList]);
}
