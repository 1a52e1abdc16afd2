import { isOfFeature, type Receiver, type Subscriber, type WebhookEndpoint } from '../../../model/webhook.ts';
import { list } from '../../columns.ts';
import { inLists } from '../../lists.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { values } from '../../table.ts';
import { webhookEndpoints } from '../../tables/webhook-endpoints.ts';
import type { Upkeep } from '../upkeep.ts';
import { noteListeners } from './listeners.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('webhook_endpoints').select(webhookEndpoints.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
export type EndpointKey = Pick<WebhookEndpoint, 'organizationId' | 'id'>;

const receiver = statement(
  (db, p: EndpointKey) =>
    db
      .selectFrom('webhook_endpoints as e')
      .innerJoin('organizations as o', 'o.id', 'e.organization_id')
      .select([
        'e.organization_id as organizationId',
        'e.id',
        'e.url',
        'e.name',
        'e.is_active as isActive',
        'e.updated_at as updatedAt',
        'o.parent_id as parentId',
      ])
      .where('e.organization_id', '=', p.organizationId)
      .where('e.id', '=', p.id),
  'sqlite',
);
const KEY = ['organizationId', 'id'] as const;
const receivers = written<Receiver>('postgres')(
  `SELECT e.organization_id AS "organizationId", e.id, e.url, e.name, e.is_active = 1 AS "isActive",
    e.updated_at AS "updatedAt", o.parent_id AS "parentId"
  FROM unnest($1::uuid[], $2::uuid[]) AS g(organization_id, id)
  JOIN webhook_endpoints e ON e.organization_id = g.organization_id AND e.id = g.id JOIN organizations o ON o.id = e.organization_id`,
  ...KEY.map((name) => list(webhookEndpoints.model[name])),
);
const subscribers = dynamic({}, (db, p: { orgs: readonly string[] }) =>
  db
    .selectFrom('webhook_endpoints as e')
    .leftJoin('webhook_queues as q', (j) =>
      j.onRef('q.organization_id', '=', 'e.organization_id').onRef('q.endpoint_id', '=', 'e.id'),
    )
    .select(['e.organization_id as organizationId', 'e.id', 'e.subscriptions'])
    .where('e.organization_id', 'in', p.orgs)
    .where((e) => e.or([e('e.is_active', '=', true), e('q.paused_at', 'is not', null)])),
);
const pages = pagesOf(webhookEndpoints);
const insert = statement((db, p: WebhookEndpoint) => db.insertInto('webhook_endpoints').values(values(webhookEndpoints, p)));
const replace = statement((db, p: WebhookEndpoint) =>
  db
    .updateTable('webhook_endpoints')
    .set(values(webhookEndpoints, p))
    .where('organization_id', '=', p.organizationId)
    .where('id', '=', p.id),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('webhook_endpoints').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const webhookEndpointReads = (conn: Conn) => ({
  get: (org: string, id: string): Promise<WebhookEndpoint | undefined> => get.first(conn, { org, id }),
  /** What deliveries need of those of the endpoints that exist, with their organizations' parents, in no order. */
  async receivers(keys: readonly EndpointKey[]): Promise<Receiver[]> {
    if (conn.engine === 'postgres') return receivers.all(conn, KEY.map((name) => keys.map((key) => key[name])) as never);
    // Together: each commit empties the cache of the connection that reads.
    return keys.flatMap((key) => receiver.firstNow(conn, key) ?? []);
  },
  /** The endpoints of these organizations that get deliveries, in no order. Those of one that the service paused wait until it is resumed. */
  async subscribers(orgs: readonly string[]): Promise<Subscriber[]> {
    return inLists(orgs, (some) => subscribers.all(conn, { orgs: some }));
  },
  /** In the order of creation. */
  page: (org: string, page: Page): Promise<WebhookEndpoint[]> => pages(conn, org, page),
});

export const webhookEndpointWrites = (conn: Conn, { counts }: Upkeep) => ({
  async insert(endpoint: WebhookEndpoint): Promise<void> {
    await insert.run(conn, endpoint);
    if (!isOfFeature(endpoint)) counts.add(endpoint.organizationId, 'webhookEndpointCount', 1);
    await noteListeners(conn, endpoint.organizationId);
  },
  /** Replaces the endpoint with the same id. */
  async replace(endpoint: WebhookEndpoint): Promise<void> {
    await replace.run(conn, endpoint);
    await noteListeners(conn, endpoint.organizationId);
  },
  /** False if there is no such endpoint. */
  async remove(org: string, id: string): Promise<boolean> {
    if ((await remove.run(conn, { org, id })) === 0) return false;
    if (!isOfFeature({ organizationId: org, id })) counts.add(org, 'webhookEndpointCount', -1);
    await noteListeners(conn, org);
    return true;
  },
});
