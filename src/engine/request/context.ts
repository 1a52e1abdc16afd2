import { hash } from 'node:crypto';
import type { Organization } from '../../model/organization.ts';
import type { Fact, Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import type { Trace } from '../ports.ts';
import type { VerifiedStamp } from './stamp.ts';

/** One authenticated submit: caller, organization, time and body. */
export type RequestContext = {
  /** Where the activity runs. */
  organization: Organization;
  /**
   * Of the same organization or, for activities that its users may submit, of its parent. The caller's organization decides.
   */
  caller: Caller;
  now: number;
  /** Where the request comes from. Undefined if its connection has ended, or if the auth proxy stamped it. */
  address: string | undefined;
  stamp: VerifiedStamp;
  body: Buffer;
  fingerprint: string;
  trace: Trace;
  /** For the facts behind the decision. */
  read: Reader;
  /**
   * Some facts may come from memory, and may be outdated. Then nothing may be refused, and only an allowed activity may be
   * recorded.
   */
  fromMemory: boolean;
};

/**
 * The version of every organization that takes part in a decision. If a user of the parent is the caller, the parent comes
 * first.
 */
export function factsOf({ organization, caller }: RequestContext): Fact[] {
  const parts = caller.organization.id === organization.id ? [organization] : [caller.organization, organization];
  return parts.map(({ id, version }) => ({ organizationId: id, version }));
}

/** `sha256:` and the digest of the raw body. */
export function fingerprintOf(body: Buffer): string {
  return `sha256:${hash('sha256', body, 'hex')}`;
}
