/** A message beside the content: what it says, and what to do. */
import type { ReactNode } from 'react';
import { visible } from '../../../review/visible.ts';
import { adviceOf, ServiceError } from '../service/errors.ts';

export type Level = 'info' | 'good' | 'amber' | 'red';

export const Notice = ({ level, title, children }: { level: Level; title?: ReactNode; children?: ReactNode }) => (
  <div className={`notice ${level}`} role={level === 'red' ? 'alert' : 'status'}>
    {title && <p className="notice-title">{title}</p>}
    {children}
  </div>
);

/** What a browser says about a prompt that was closed. */
const CANCELLED = 'The prompt was closed, or took too long. Nothing was sent. Try again.';

export function Failure({ error, doing }: { error: unknown; doing: string }) {
  if (error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name))
    return <Notice level="amber" title={CANCELLED} />;
  const message = visible(error instanceof Error ? error.message : String(error));
  const advice = adviceOf(error);
  return (
    <Notice level="red" title={`${doing} failed`}>
      <p>{message}</p>
      {advice && <p>{advice}</p>}
      {error instanceof ServiceError && error.status > 0 && (
        <p className="dim">
          <code>{error.code}</code>, status {error.status}
          {error.requestId && (
            <>
              , request <code>{error.requestId}</code>
            </>
          )}
        </p>
      )}
    </Notice>
  );
}
