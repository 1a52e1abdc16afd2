/** Users of the organization itself may submit an activity. All but `own` and `top-level` add others. */
export type SubmitterOrigin =
  | 'own'
  /** The organization must not be a sub-organization. */
  | 'top-level'
  /** Also users of the parent of a sub-organization. Then the parent's root quorum and policies decide, and its users vote. */
  | 'parent'
  /** Also users of the one sub-organization of the named organization that has their credential. It runs there. */
  | 'below'
  /** In a sub-organization, also the auth proxy of its parent. Then the parent's policies decide. */
  | 'proxy';

/** The users who may submit an activity, and the approvals that it then needs. By default: own users, as policies allow. */
export type SubmitterSpec<Intent> = {
  from?: SubmitterOrigin;
  /** The user whose credentials the activity changes. As the only approver, this user needs no policy. */
  changesCredentialsOf?(intent: Intent): string;
  /**
   * The activity gives its submitter only what reading already gives. It needs no policy and no other root user, unless a
   * policy says so.
   */
  needsNoApproval?: true;
  /** The same, for some requests. */
  needsNoApprovalFor?(intent: Intent): boolean;
  /** The only user who may submit it, whatever policies and the root quorum allow. For example, users import for themselves. */
  onlyUser?(intent: Intent): string;
  /**
   * Only a credential of this type may submit it, for its own user, named by `changesCredentialsOf`. No other approval is
   * needed; a DENY still denies. Such a credential may submit nothing else, not even a vote.
   */
  credential?: 'recovery-key';
  /** Only a root user may submit it, whatever policies allow. Policies may still replace the other votes of the root quorum. */
  rootUsersOnly?: true;
};

/** The same with its defaults. `newcomer`: callers without a credential, whom `admit` of the activity admits. */
export type Submitters = {
  from: SubmitterOrigin | 'newcomer';
  changesCredentialsOf(intent: unknown): string | undefined;
  needsNoApproval: boolean;
  needsNoApprovalFor(intent: unknown): boolean;
  onlyUser(intent: unknown): string | undefined;
  credential: 'recovery-key' | undefined;
  rootUsersOnly: boolean;
};

const noUser = (): undefined => undefined;

export const submittersOf = (spec: SubmitterSpec<never>, isForNewcomers: boolean): Submitters => {
  const { changesCredentialsOf = noUser } = spec as SubmitterSpec<unknown>;
  return {
    from: isForNewcomers ? 'newcomer' : (spec.from ?? 'own'),
    changesCredentialsOf,
    needsNoApproval: spec.needsNoApproval ?? false,
    needsNoApprovalFor: (spec as SubmitterSpec<unknown>).needsNoApprovalFor ?? (() => spec.needsNoApproval ?? false),
    onlyUser: (spec as SubmitterSpec<unknown>).onlyUser ?? (spec.credential ? changesCredentialsOf : noUser),
    credential: spec.credential,
    rootUsersOnly: spec.rootUsersOnly ?? false,
  };
};
