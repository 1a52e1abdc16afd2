import { useEffect } from 'react';
import { useWaitingCount } from '../service/waiting.ts';

/** The title has the count of what waits, so that a tab in the background tells. */
export function useTitle(page: string): void {
  const { text } = useWaitingCount();
  useEffect(() => {
    document.title = `${text === '' ? '' : `(${text}) `}${page} · Countersign`;
  }, [page, text]);
}
