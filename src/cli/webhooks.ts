import { UUID } from '../base/ids.ts';
import { type Reply, UsageError } from './client.ts';
import { type ClientOptions, query, submit } from './operations.ts';
import { type Delivery, deliveryLine, type Endpoint, endpointLine } from './webhooks-text.ts';

export type WebhooksOptions = ClientOptions & {
  endpoint?: string | undefined;
  state?: string | undefined;
  limit?: string | undefined;
  after?: string | undefined;
  wait: boolean;
  'dry-run': boolean;
  json: boolean;
};

/** The text to print, or the service's refusal. */
export type Told = { text: string; code: number } | { reply: Reply };

type Context = { operands: readonly string[]; now: () => number; options: WebhooksOptions };

const SEE = 'see countersign webhooks --help';
const STATUSES = ['PENDING', 'DELIVERED', 'DEAD'];
const EVERY_MS = 500;
/** An attempt takes at most ten seconds, and one may be under way before it. */
const LONGEST_WAIT_MS = 60_000;
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function idOf(given: string, name: string): string {
  if (!UUID.test(given)) throw new UsageError(`${name} must be an id, not "${given}"`);
  return given.toLowerCase();
}

function noOperands(operands: readonly string[], action: string, most = 0): void {
  const surplus = operands[most];
  if (surplus !== undefined) throw new UsageError(`countersign webhooks ${action} takes no "${surplus}": ${SEE}`);
}

async function list({ operands, options }: Context): Promise<Told> {
  noOperands(operands, 'list');
  const reply = await query('list_webhook_endpoints', undefined, options);
  if (reply.status >= 400) return { reply };
  const { webhookEndpoints } = JSON.parse(reply.text) as { webhookEndpoints: Endpoint[] };
  if (options.json) return { text: json({ webhookEndpoints }), code: 0 };
  return { text: webhookEndpoints.map(endpointLine).join('') || 'There are no webhook endpoints.\n', code: 0 };
}

function statusOf(given: string): string {
  const status = given.trim().toUpperCase();
  if (!STATUSES.includes(status)) throw new UsageError(`--state must be one of ${STATUSES.join(', ')}, not "${given}"`);
  return status;
}

async function deliveries({ operands, options }: Context): Promise<Told> {
  noOperands(operands, 'deliveries');
  const { endpoint, state, limit = '50', after } = options;
  const filters = {
    ...(endpoint === undefined ? {} : { endpointId: idOf(endpoint, '--endpoint') }),
    ...(state === undefined ? {} : { status: statusOf(state) }),
    paginationOptions: { limit, ...(after === undefined ? {} : { after: idOf(after, '--after') }) },
  };
  const reply = await query('list_webhook_deliveries', JSON.stringify(filters), options);
  if (reply.status >= 400) return { reply };
  const { webhookDeliveries: found } = JSON.parse(reply.text) as { webhookDeliveries: Delivery[] };
  const next = found.length === Number(limit) ? found.at(-1)!.deliveryId : null;
  if (options.json) return { text: json({ webhookDeliveries: found, next }), code: 0 };
  const more = next === null ? '' : `There may be more: --after ${next}\n`;
  return { text: found.map(deliveryLine).join('') + more || 'There are no such deliveries.\n', code: 0 };
}

type Activity = { id: string; status: string; result: Record<string, { eventId?: string } | undefined> };
type Asked = { activity: Activity; waits: boolean } | { reply: Reply };

async function asked(operation: string, parameters: object, { now, options }: Context): Promise<Asked> {
  const reply = await submit(operation, JSON.stringify(parameters), now(), options);
  if (reply.status >= 400) return { reply };
  const { activity } = JSON.parse(reply.text) as { activity: Activity };
  return { activity, waits: activity.status !== 'ACTIVITY_STATUS_COMPLETED' };
}

function waiting({ id, status }: Activity, { options }: Context): Told {
  const text = `Activity ${id} waits for approvals (${status}). Nothing was sent yet.\n`;
  return { text: options.json ? json({ activity: { id, status } }) : text, code: 0 };
}

async function resend(context: Context): Promise<Told> {
  const deliveryIds = context.operands.map((one) => idOf(one, 'DELIVERY_ID'));
  if (deliveryIds.length === 0) throw new UsageError('name a delivery: countersign webhooks resend DELIVERY_ID...');
  const done = await asked('countersign_resend_webhook_deliveries', { deliveryIds }, context);
  if ('reply' in done) return done;
  if (done.waits) return waiting(done.activity, context);
  const what = deliveryIds.length === 1 ? '1 delivery is' : `${deliveryIds.length} deliveries are`;
  const text = `${what} sent again: see countersign webhooks deliveries\n`;
  return { text: context.options.json ? json({ activityId: done.activity.id, deliveryIds }) : text, code: 0 };
}

/** The delivery of a test, once it was tried. Undefined: it was not tried in time. */
async function tried(
  endpointId: string,
  eventId: string,
  { now, options }: Context,
): Promise<{ delivery: Delivery } | { reply: Reply } | undefined> {
  const end = now() + LONGEST_WAIT_MS;
  for (;;) {
    const filters = { endpointId, paginationOptions: { limit: '100' } };
    const reply = await query('list_webhook_deliveries', JSON.stringify(filters), options);
    if (reply.status >= 400) return { reply };
    const { webhookDeliveries } = JSON.parse(reply.text) as { webhookDeliveries: Delivery[] };
    const delivery = webhookDeliveries.find((one) => one.eventId === eventId);
    if (delivery !== undefined && (delivery.attempts > 0 || delivery.status !== 'PENDING')) return { delivery };
    if (now() >= end) return undefined;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

async function test(context: Context): Promise<Told> {
  const { operands, options } = context;
  noOperands(operands, 'test', 1);
  if (operands[0] === undefined) throw new UsageError('name an endpoint: countersign webhooks test ENDPOINT_ID');
  const endpointId = idOf(operands[0], 'ENDPOINT_ID');
  const done = await asked('countersign_test_webhook_endpoint', { endpointId }, context);
  if ('reply' in done) return done;
  const { id: activityId, result } = done.activity;
  if (done.waits) return waiting(done.activity, context);
  const eventId = result.countersignTestWebhookEndpointResult!.eventId!;
  if (!options.wait) {
    const text = `Event ${eventId} is sent: see countersign webhooks deliveries --endpoint ${endpointId}\n`;
    return { text: options.json ? json({ activityId, eventId }) : text, code: 0 };
  }
  const found = await tried(endpointId, eventId, context);
  if (found === undefined)
    throw new UsageError(
      `no attempt within ${LONGEST_WAIT_MS / 1000} s: the endpoint may be failing or paused. See countersign webhooks list, and countersign webhooks deliveries --endpoint ${endpointId}`,
    );
  if ('reply' in found) return found;
  const { delivery } = found;
  const code = delivery.status === 'DELIVERED' ? 0 : 1;
  return { text: options.json ? json({ activityId, eventId, delivery }) : deliveryLine(delivery), code };
}

async function rotateKey({ operands, now, options }: Context): Promise<Told> {
  noOperands(operands, 'rotate-key');
  const { webhookKeysCommand } = await import('./webhook-keys.ts');
  return { text: await webhookKeysCommand(now(), options), code: 0 };
}

const ACTIONS: Readonly<Record<string, (context: Context) => Promise<Told>>> = {
  list,
  deliveries,
  resend,
  test,
  'rotate-key': rotateKey,
};

/** `countersign webhooks …` */
export async function webhooksCommand(
  [action = '', ...operands]: readonly string[],
  now: () => number,
  options: WebhooksOptions,
): Promise<Told> {
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (run === undefined) throw new UsageError(`there is no "webhooks ${action}": ${SEE}`);
  return run({ operands, now, options });
}
