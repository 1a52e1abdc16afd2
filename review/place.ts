/** Where an activity runs. It is not always the organization that its body names. */
import { uuidOf } from '../src/base/ids.ts';
import type { Review } from './types.ts';
import { visible } from './visible.ts';

/** The body may name the organization above that of its sender. The service finds the sender, and it runs where the sender is. */
const BELOW: ReadonlySet<string> = new Set([
  'ACTIVITY_TYPE_STAMP_LOGIN',
  'ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION',
  'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION',
  'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2',
]);

/** A new organization has the id that results from the body, whatever the body names. */
const placeIn = ({ kind, timestampMs, fingerprint, organizationId }: Review): string =>
  kind === 'CREATE_ORGANIZATION' ? uuidOf(Number(timestampMs), fingerprint.slice('sha256:'.length)) : organizationId;

/** `organizationId`: where it runs, as the service says. */
export const mayRunIn = (review: Review, organizationId: string): boolean =>
  BELOW.has(review.type) || placeIn(review) === organizationId.toLowerCase();

/** In words, where the body does not prove the place. */
export const unprovenPlace = (review: Review, organizationId: string): string[] =>
  BELOW.has(review.type) && review.organizationId !== organizationId.toLowerCase()
    ? [`the body names the organization ${review.organizationId}. It runs in ${visible(organizationId)}, as the service says`]
    : [];
