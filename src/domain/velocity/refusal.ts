import { ApiError } from '../../base/errors.ts';
import { aggregateOf, satisfies } from '../../model/velocity-spend.ts';
import { countingSteps, roomAt, totalOf } from '../../model/velocity-window.ts';
import { type Bucket, isLimit, type Judged } from './judged.ts';
import type { Terms } from './terms.ts';
import { shown } from './units.ts';

function windowText({ window }: Terms): string {
  switch (window.kind) {
    case 'rolling':
      return `in ${window.seconds} s`;
    case 'calendar':
      return `in a ${window.unit} of ${window.zone}`;
    case 'transaction':
      return 'for one activity';
    case 'infinite':
      return 'in all';
  }
}

function bucketText({ groupBy, byRecipient, control }: Terms, name: string): string {
  if (name === '') return `for organization ${control.organizationId}`;
  return `for ${groupBy === 'organization' ? (byRecipient ? 'recipient' : 'signer') : groupBy} ${name}`;
}

function exceeded(terms: Terms, { name, added, steps }: Bucket, now: number): ApiError {
  const { comparison, window, control } = terms;
  const { threshold, one } = comparison;
  const counted = totalOf(countingSteps(window, steps, now));
  const fits = (left: { amount: bigint; count: number }) =>
    satisfies(comparison, { amount: left.amount + added.amount, count: left.count + added.count }) === isLimit(terms);
  const at = fits({ amount: 0n, count: 0 }) ? roomAt(window, steps, now, fits) : undefined;
  const room = at === undefined ? undefined : new Date(at).toISOString();
  const [asked, left, most] = [aggregateOf(comparison, added), threshold - aggregateOf(comparison, counted), threshold].map(
    (units) => shown(units, one),
  );
  const when =
    room === undefined ? 'there never is room for it' : `room for it at ${room} if nothing else is counted: send a new body then`;
  const message = `velocity control ${control.identifier}: ${asked} asked, ${left} left of ${most} ${windowText(terms)} ${bucketText(terms, name)}; ${when}`;
  const { id: velocityControlId, identifier } = control;
  const velocity = {
    velocityControlId,
    identifier,
    bucket: name,
    asked: asked!,
    left: left!,
    threshold: most!,
    ...(room && { roomAt: room }),
  };
  return new ApiError('VELOCITY_CONTROL_EXCEEDED', message, { velocity });
}

/** The refusal for the first control that does not allow the activity. Undefined if there is none. */
export function refusalOf(refusing: readonly Judged[], now: number): ApiError | undefined {
  const [first] = refusing;
  if (first === undefined) return undefined;
  const { terms, buckets, unreadable } = first;
  const { id: velocityControlId, identifier } = terms.control;
  if (unreadable === undefined) return exceeded(terms, buckets.find(({ holds }) => holds !== isLimit(terms))!, now);
  const message = `velocity control ${identifier}: what the activity takes cannot be read: ${unreadable}`;
  return new ApiError('VELOCITY_NOT_READABLE', message, { velocity: { velocityControlId, identifier } });
}
