import { hash } from 'node:crypto';
import type { Organization } from '../../model/organization.ts';
import type { Caller } from '../context.ts';
import type { Trace } from '../ports.ts';
import type { VerifiedStamp } from './stamp.ts';

/** One authenticated submit: caller, organization, time and body. */
export type RequestContext = {
  organization: Organization;
  caller: Caller;
  now: number;
  stamp: VerifiedStamp;
  body: Buffer;
  fingerprint: string;
  trace: Trace;
};

/** `sha256:` and the digest of the raw body. */
export function fingerprintOf(body: Buffer): string {
  return `sha256:${hash('sha256', body, 'hex')}`;
}
