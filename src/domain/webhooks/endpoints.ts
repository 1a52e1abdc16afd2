import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { PrepareContext, ReviewContext } from '../../engine/context.ts';
import type { Organization } from '../../model/organization.ts';
import { isOfAll, type WebhookEndpoint, type WebhookSubscription } from '../../model/webhook.ts';
import type { Reader } from '../../store/types.ts';
import { filtersProblem } from './filters.ts';

const FIELD = 'parameters.subscriptions';

type Subscriptions = readonly Pick<WebhookSubscription, 'eventType' | 'filtersJson'>[];

/** Throws NOT_FOUND. */
export async function webhookEndpointOf(
  read: Pick<Reader, 'webhookEndpoints'>,
  organizationId: string,
  id: string,
): Promise<WebhookEndpoint> {
  const found = await read.webhookEndpoints.get(organizationId, id);
  if (found === undefined) throw new ApiError('NOT_FOUND', `webhook endpoint not found: parameters.endpointId names ${id}`);
  return found;
}
webhookEndpointOf.errors = errorsOf('NOT_FOUND');

/** Throws REQUEST_INVALID for an endpoint that is paused: nothing is sent to it. `field`: what names it in the request. */
export function requireActive({ id, isActive }: WebhookEndpoint, field: string): void {
  if (!isActive)
    throw invalid(field, `webhook endpoint ${id} is paused: resume it first, by UPDATE_WEBHOOK_ENDPOINT with "isActive": true`);
}
requireActive.errors = errorsOf('REQUEST_INVALID');

/** Throws REQUEST_INVALID for an event type that is named twice, and for filters that are not supported. */
export function checkSubscriptions(subscriptions: Subscriptions): void {
  const seen = new Set<string>();
  for (const [i, { eventType, filtersJson }] of subscriptions.entries()) {
    if (seen.has(eventType)) throw invalid(`${FIELD}[${i}].eventType`, `is named twice: give ${eventType} once`);
    seen.add(eventType);
    const problem = filtersJson === undefined ? undefined : filtersProblem(eventType, filtersJson);
    if (problem !== undefined) throw invalid(`${FIELD}[${i}].filtersJson`, problem);
  }
}
checkSubscriptions.errors = errorsOf('REQUEST_INVALID');

/** Throws REQUEST_NOT_AUTHORIZED for a sub-organization that subscribes to events of top-level organizations. */
export function requireOwnEvents({ parentId }: Pick<Organization, 'parentId'>, subscriptions: Subscriptions): void {
  const foreign = subscriptions.find(({ eventType }) => !isOfAll(eventType));
  if (parentId !== null && foreign !== undefined)
    throw new ApiError(
      'REQUEST_NOT_AUTHORIZED',
      `request not authorized: only endpoints of a top-level organization receive ${foreign.eventType}: subscribe in the parent organization`,
    );
}
requireOwnEvents.errors = errorsOf('REQUEST_NOT_AUTHORIZED');

/** Warns of balance events on a service that scans no chain. The subscription counts once its operator sets SCAN. */
export function reviewSubscriptions({ nodes, warn }: Pick<ReviewContext, 'nodes' | 'warn'>, subscriptions: Subscriptions): void {
  const named = subscriptions.find(({ eventType }) => eventType.startsWith('BALANCE_'));
  if (named === undefined || nodes.scanned.length > 0) return;
  warn(
    'BALANCE_EVENTS_OFF',
    `no ${named.eventType} occur yet, because this service scans no chain: its operator names chains in the setting SCAN`,
  );
}

/** Throws REQUEST_INVALID for a URL that the service must not call, and `Unreachable` if DNS does not answer now. */
export async function checkReceiver(
  { addressProblem }: Pick<PrepareContext<'none'>, 'addressProblem'>,
  url: string,
  field = 'parameters.url',
): Promise<void> {
  const problem = await addressProblem(url);
  if (problem !== undefined) throw invalid(field, problem);
}
checkReceiver.errors = errorsOf('REQUEST_INVALID');
