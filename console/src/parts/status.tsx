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

/** Kinds that sign, and leave it to others to send. */
const ONLY_SIGNS = /^ACTIVITY_TYPE_SIGN_(?:TRANSACTION|RAW_PAYLOADS?)(?:_V\d+)?$/;

/** `type`: of the activity, where its end is told in more than a word. */
export const Status = ({ status, type = '' }: { status: ActivityStatus; type?: string }) => (
  <span className={`status ${WORDS[status]?.[1] ?? 'wait'}`}>
    {status === 'ACTIVITY_STATUS_COMPLETED' && ONLY_SIGNS.test(type) ? 'signed (not sent)' : statusText(status)}
  </span>
);
