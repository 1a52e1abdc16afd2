import type { Clock } from '../../base/clock.ts';
import { type ApiError, Busy } from '../../base/errors.ts';
import { fairTurns } from '../../base/fair-turns.ts';
import type { Vault } from '../../custody/types.ts';
import { type Organization, topLevelIdOf } from '../../model/organization.ts';
import type { Environment } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { ActivityKind } from '../activity/declare.ts';
import { type Decoder, decoder } from '../activity/decode.ts';
import type { ToMeasure, Velocity, VelocityThen } from '../activity/velocity.ts';
import { authorize, type Decision, type Question } from './authorize.ts';
import { type Deciding, deciding } from './deciding.ts';
import type { MfaPolicies } from './mfa.ts';
import type { PolicyCache } from './policy-cache.ts';
import type { SessionScopes } from './session-scopes.ts';

/** How many requests may replay activities at the same time: each holds some activities in memory. */
const REPLAYS = 2;

/** How many requests may review waiting activities at the same time: signatures go between their steps. */
const REVIEWS = 2;

/** How many requests of one top-level organization, and of all, wait for their turn. */
const WAITING = { payer: 32, all: 512 };

type Asking = Pick<Organization, 'id' | 'parentId'>;
type OrganizationTurn = <T>(asking: Asking, work: () => Promise<T>) => Promise<T>;

/** Top-level organizations take turns, so that none waits for all requests of another one, which may have many below. */
export function organizationTurns(atOnce: number): OrganizationTurn {
  const turns = fairTurns(WAITING, atOnce);
  return async (asking, work) => {
    const done = turns(topLevelIdOf(asking), work);
    if (done === undefined) throw new Busy('too many such requests wait for their turn: try again in a few seconds');
    return done;
  };
}

/** Decides by the votes that count. */
export type Authorize = (read: Reader, question: Question & { submitterId: string }) => Promise<Decision>;

/** Everything needed to make, explain, simulate and replay decisions. */
export type Decisions = {
  policies: PolicyCache;
  authorize: Authorize;
  scopes: SessionScopes;
  mfa: MfaPolicies;
  deciding: Deciding;
  velocity: Velocity;
  /** Why a freeze of keys refuses an activity that policies allow. */
  stopped(read: Reader, asked: ToMeasure): Promise<ApiError | undefined>;
  velocityThen: VelocityThen;
  /** Those that a request may submit. `decode` knows the operator's too. */
  kinds: readonly ActivityKind[];
  decode: Decoder;
  environment: Environment;
  /** Limits the time that an explanation or a replay takes. */
  elapsed: Clock;
  /** Runs a replay when its organization has a turn. Throws Busy if too many wait. */
  replayTurn: OrganizationTurn;
  /** The same for a review of waiting activities. */
  reviewTurn: OrganizationTurn;
};

type Parts = Omit<Decisions, 'authorize' | 'deciding' | 'decode' | 'replayTurn' | 'reviewTurn'> & {
  operatorKinds: readonly ActivityKind[];
  vault: Pick<Vault, 'texts'>;
};

export function decisions({ vault, operatorKinds, ...parts }: Parts): Decisions {
  const decode = decoder([...parts.kinds, ...operatorKinds], vault);
  const decides: Authorize = (read, question) => authorize(parts.policies, read, question);
  const turns = { replayTurn: organizationTurns(REPLAYS), reviewTurn: organizationTurns(REVIEWS) };
  return { ...parts, authorize: decides, deciding: deciding(), decode, ...turns };
}
