import { CommandFailed } from '../../base/command-failed.ts';
import { isObject } from '../../base/json.ts';

export type Vote = {
  readonly userId: string;
  readonly selection: string;
  readonly message: string;
  readonly user?: { readonly userName?: string };
};

/** An activity as the service answers it: nothing of it is proven. */
export type Activity = {
  readonly id: string;
  readonly organizationId: string;
  readonly status: string;
  readonly type: string;
  readonly fingerprint: string;
  readonly intent: unknown;
  readonly canApprove: boolean;
  readonly canReject: boolean;
  readonly votes: readonly Vote[];
  readonly createdAt: { readonly seconds: string };
};

const TEXTS = ['id', 'organizationId', 'status', 'type', 'fingerprint'] as const;

/** They are printed, and one stands in a line for a shell. */
const isPlain = (text: unknown): boolean => typeof text === 'string' && /^[\w:-]+$/.test(text);

const isVote = (vote: unknown): boolean =>
  isObject(vote) && ['userId', 'selection', 'message'].every((name) => typeof vote[name] === 'string');

/** Throws CommandFailed for anything else than an activity. */
export function activityOf(value: unknown, asked: string): Activity {
  const fits =
    isObject(value) &&
    TEXTS.every((name) => isPlain(value[name])) &&
    Array.isArray(value.votes) &&
    value.votes.length > 0 &&
    value.votes.every(isVote) &&
    isObject(value.createdAt);
  if (!fits)
    throw new CommandFailed(`the answer to ${asked} has no activity with its votes: is this the address of the service?`);
  return value as Activity;
}

/** The signed body of the submitter. '' where it holds a secret: the service shows it to its sender alone. */
export const bodyOf = ({ votes }: Activity): string => votes[0]!.message;

export const WAITING = ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'];
