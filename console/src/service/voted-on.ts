import type { Activity } from './types.ts';

const VOTES = /^ACTIVITY_TYPE_(?:APPROVE|REJECT)_ACTIVITY$/;

/** The fingerprint that an activity approves or rejects: a vote is an activity too. */
export function votedOn({ type, intent }: Pick<Activity, 'type' | 'intent'>): string | undefined {
  const [meant] = Object.values(intent) as { fingerprint?: string }[];
  return VOTES.test(type) ? meant?.fingerprint : undefined;
}

/** How a user voted on a request of another, or on their own one later. */
export const decisionOf = ({ votes }: Pick<Activity, 'votes'>, userId: string): Activity['votes'][number] | undefined =>
  votes.slice(1).findLast((vote) => vote.userId === userId);
