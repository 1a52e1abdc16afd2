import type { z } from 'zod';
import type { ErrorCode } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import type { Decisions } from '../decision/decisions.ts';
import type { PolicyCompiler } from '../policy-compiler.ts';
import type { NodesPort, OidcPort, OnRampPort } from '../ports.ts';
import type { TicketWish } from '../request/stream-ticket.ts';
import type { Listing, Listings } from './listing.ts';

export type QueryContext = {
  /** The organization that is queried: the caller's own, or a sub-organization of it. */
  organization: Organization;
  caller: Caller;
  read: Reader;
  now: number;
  decisions: Decisions;
  oidc: OidcPort;
  policies: PolicyCompiler;
  nodes: NodesPort;
  appsDomain: string;
  onRamp: Pick<OnRampPort, 'refreshed'>;
  /** For a stream of the organization's activities, once, soon. */
  newTicket(wish: TicketWish): { ticket: string; expiresAt: number };
  /** Activities in their outer form, as JSON text. A list shows no secrets to any caller. */
  showActivities(activities: readonly Activity[], how: { inList: boolean }): Promise<string[]>;
};

export type QuerySpec<Params extends z.ZodType, Result extends z.ZodType> = {
  name: string;
  summary: string;
  params: Params;
  result: Result;
  /** The codes that `run` may throw. Any other code is still answered, and reported as a server fault. */
  errors: readonly ErrorCode[];
  /** The request may name a parent organization in place of the caller's own sub-organization, which is then queried. */
  findsOwnSubOrganization?: true;
  /** Users of the parent may query a deleted sub-organization: the query reads only the record. */
  readsDeleted?: true;
  run(ctx: QueryContext, params: z.output<Params>): Promise<Answer<z.output<Result>>>;
};

/**
 * A query may return JSON text that it rendered itself, if many answers share the text. It may also return lists that are read
 * in slices.
 */
export type Answer<T> = T | { json: string } | ListingOf<T> | Listings<keyof T & string>;

type ListingOf<T> = { [N in keyof T & string]: T[N] extends (infer E)[] ? Listing<N, E> : never }[keyof T & string];

export type QueryKind = {
  name: string;
  summary: string;
  path: string;
  params: z.ZodType;
  result: z.ZodType;
  errors: readonly ErrorCode[];
  findsOwnSubOrganization: boolean;
  readsDeleted: boolean;
  run(ctx: QueryContext, params: unknown): Promise<unknown>;
};

export function query<Params extends z.ZodType, Result extends z.ZodType>(spec: QuerySpec<Params, Result>): QueryKind {
  return {
    ...spec,
    path: `/public/v1/query/${spec.name}`,
    findsOwnSubOrganization: spec.findsOwnSubOrganization ?? false,
    readsDeleted: spec.readsDeleted ?? false,
    run: spec.run as QueryKind['run'],
  };
}
