import type { ActivityStatus } from '../service/types.ts';

const WORDS: Readonly<Record<ActivityStatus, readonly [string, string]>> = {
  ACTIVITY_STATUS_CREATED: ['created', 'wait'],
  ACTIVITY_STATUS_PENDING: ['pending', 'wait'],
  ACTIVITY_STATUS_CONSENSUS_NEEDED: ['waits for approval', 'wait'],
  ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: ['waits for a factor', 'wait'],
  ACTIVITY_STATUS_COMPLETED: ['completed', 'good'],
  ACTIVITY_STATUS_FAILED: ['failed', 'bad'],
  ACTIVITY_STATUS_REJECTED: ['rejected', 'bad'],
};

export const statusText = (status: ActivityStatus): string => WORDS[status]?.[0] ?? status;

export const Status = ({ status }: { status: ActivityStatus }) => (
  <span className={`status ${WORDS[status]?.[1] ?? 'wait'}`}>{statusText(status)}</span>
);
