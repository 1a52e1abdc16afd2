/** A part of the overview: one question to the service, answered or said to have failed. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AsCommandHere } from '../parts/command.tsx';
import { Failure } from '../parts/notice.tsx';

/** Parts without news of their own are asked for again after this time. */
export const ASK_AGAIN_MS = 60_000;

type Props<T> = {
  title: string;
  read: Pick<UseQueryResult<T>, 'data' | 'error'>;
  /** Absent: no command says the same. */
  command?: string;
  children(data: T): ReactNode;
};

export function Part<T>({ title, read: { data, error }, command, children }: Props<T>) {
  return (
    <section aria-label={title} aria-busy={data === undefined && error === null} className="card">
      <h2>{title}</h2>
      {error && <Failure error={error} doing="Reading it" />}
      {data === undefined ? !error && <p className="dim">Reading…</p> : children(data)}
      {command && <AsCommandHere line={command} />}
    </section>
  );
}
