/** A user, wallet, private key or organization that is stopped. */
export type Freeze = {
  organizationId: string;
  /** Of what is frozen. */
  id: string;
  target: FreezeTarget;
  /** The activity that froze it, and its submitter. */
  activityId: string;
  userId: string;
  reason: string;
  /** Sends that were accepted before go on. */
  keepsSends: boolean;
  createdAt: number;
};

export type FreezeTarget = 'user' | 'wallet' | 'private key' | 'organization';

/** The topic of the outbox that cancels the open sends of frozen keys. */
export const FREEZE_TOPIC = 'freeze';

/** The topic of the outbox that tells an organization of a freeze that the operator ended. */
export const UNFROZEN_TOPIC = 'unfrozen';
