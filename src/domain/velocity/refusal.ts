import { ApiError } from '../../base/errors.ts';
import { aggregateOf, satisfies } from '../../model/velocity-spend.ts';
import { countingSteps, roomAt, type Total, totalOf } from '../../model/velocity-window.ts';
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

/** What all refusals say of a control. The window is in the form that declares it. */
const named = ({ control: { id, identifier, aggregation, countersign } }: Terms) => ({
  velocityControlId: id,
  identifier,
  window: countersign?.window ?? aggregation.window,
});

/** `at`: when there is room for the activity if nothing else is counted, or NEVER. */
function exceeded(terms: Terms, { name, added, steps }: Bucket, at: number, now: number): ApiError {
  const { comparison, window, control } = terms;
  const { threshold, one } = comparison;
  const counted = totalOf(countingSteps(window, steps, now));
  const [asked, left, most] = [aggregateOf(comparison, added), threshold - aggregateOf(comparison, counted), threshold].map(
    (units) => shown(units, one),
  );
  const room = at === NEVER ? undefined : new Date(at).toISOString();
  const when =
    room === undefined ? 'there never is room for it' : `room for it at ${room} if nothing else is counted: send a new body then`;
  const message = `velocity control ${control.identifier}: ${asked} asked, ${left} left of ${most} ${windowText(terms)} ${bucketText(terms, name)}; ${when}`;
  const velocity = { ...named(terms), bucket: name, asked, left, threshold: most, ...(room && { roomAt: room }) };
  return new ApiError('VELOCITY_CONTROL_EXCEEDED', message, { velocity });
}

function notReadable(terms: Terms, unreadable: string): ApiError {
  const message = `velocity control ${terms.control.identifier}: what the activity takes cannot be read: ${unreadable}`;
  return new ApiError('VELOCITY_NOT_READABLE', message, { velocity: { ...named(terms), unreadable } });
}

/** Later than all times. Waiting helps even less where an amount cannot be read. */
const [NEVER, UNREADABLE] = [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER];

function roomIn(terms: Terms, { added, steps }: Bucket, now: number): number {
  const { comparison, window } = terms;
  const fits = (left: Total) =>
    satisfies(comparison, { amount: left.amount + added.amount, count: left.count + added.count }) === isLimit(terms);
  return (fits({ amount: 0n, count: 0 }) ? roomAt(window, steps, now, fits) : undefined) ?? NEVER;
}

/** Why a control does not allow the activity. `at`: the time from which it does. */
export type Refusal = { readonly by: Judged; readonly at: number; error(): ApiError };

function refusalBy(by: Judged, now: number): Refusal {
  const { terms, buckets, unreadable } = by;
  if (unreadable !== undefined) return { by, at: UNREADABLE, error: () => notReadable(terms, unreadable) };
  const last = buckets
    .filter(({ holds }) => holds !== isLimit(terms))
    .map((bucket) => ({ bucket, at: roomIn(terms, bucket, now) }))
    .reduce((latest, one) => (one.at > latest.at ? one : latest));
  return { by, at: last.at, error: () => exceeded(terms, last.bucket, last.at, now) };
}

/** The refusals of controls that do not allow the activity, the one that ends last at the end. */
export const refusalsOf = (refusing: readonly Judged[], now: number): Refusal[] =>
  refusing
    .map((one) => refusalBy(one, now))
    .reverse()
    .sort((a, b) => a.at - b.at);
