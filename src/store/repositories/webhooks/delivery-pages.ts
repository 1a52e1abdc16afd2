import { DELIVERY_STATUSES, type DeliveryStatus, type WebhookDelivery } from '../../../model/webhook-delivery.ts';
import type { Page } from '../../page.ts';
import { inRange } from '../../ranges.ts';
import type { Builder } from '../../schema.ts';
import { type Conn, dynamic } from '../../statement.ts';
import { webhookDeliveries } from '../../tables/webhook-deliveries.ts';

export type DeliveryFilter = { endpointId?: string | undefined; status?: DeliveryStatus | undefined };
type Bounds = { org: string; above: string | undefined; below: string | undefined; limit: number };
type OfEndpoint = Bounds & { endpoint: string };

/** Deliveries are newest first. A page with `before` alone is read in ascending order from that delivery. */
const ascends = ({ above, below }: Pick<Bounds, 'above' | 'below'>): boolean => above !== undefined && below === undefined;

const rangeOf = ({ above, below, limit }: Bounds) =>
  ({ key: 'id', above, below, descending: !ascends({ above, below }), limit }) as const;
const rowsOf = (db: Builder, { org }: Bounds) =>
  db.selectFrom('webhook_deliveries').select(webhookDeliveries.all).where('organization_id', '=', org);

const ofOrganization = dynamic(
  { status: true, above: true, below: true },
  (db, p: Bounds & { status: DeliveryStatus | undefined }) =>
    p.status === undefined
      ? inRange(rowsOf(db, p), { fixed: [], ...rangeOf(p) })
      : inRange(rowsOf(db, p).where('status', '=', p.status), { fixed: [['status', p.status]], ...rangeOf(p) }),
);

const fixedOf = (endpoint: string, status: DeliveryStatus) => [['endpoint_id', endpoint] as const, ['status', status] as const];

const ofEndpoint = dynamic({ above: true, below: true }, (db, p: OfEndpoint & { status: DeliveryStatus }) =>
  inRange(rowsOf(db, p).where('endpoint_id', '=', p.endpoint).where('status', '=', p.status), {
    fixed: fixedOf(p.endpoint, p.status),
    ...rangeOf(p),
  }),
);

/** A page of each status, in no order. An index without the status would be written with each delivery. */
const ofEachStatus = dynamic({ above: true, below: true }, (db, p: OfEndpoint) => {
  const [first, ...others] = DELIVERY_STATUSES.map((status) => {
    const ids = db.selectFrom('webhook_deliveries').select('id').where('organization_id', '=', p.org);
    const some = ids.where('endpoint_id', '=', p.endpoint).where('status', '=', status);
    const range = inRange(some, { fixed: fixedOf(p.endpoint, status), ...rangeOf(p) });
    return db.selectFrom(range.as('range')).select('range.id');
  });
  const all = others.reduce((ids, one) => ids.unionAll(one), first!);
  return rowsOf(db, p).where('id', 'in', all);
});

/** Newest first. `after`: the page continues with deliveries older than this one. */
export async function pageOfDeliveries(
  conn: Conn,
  org: string,
  { endpointId: endpoint, status }: DeliveryFilter,
  { limit, after, before }: Page,
): Promise<WebhookDelivery[]> {
  const bounds = { org, above: before, below: after, limit };
  const found =
    endpoint === undefined
      ? await ofOrganization.all(conn, { ...bounds, status })
      : status === undefined
        ? await ofEachStatus.all(conn, { ...bounds, endpoint })
        : await ofEndpoint.all(conn, { ...bounds, endpoint, status });
  found.sort((a, b) => (a.id < b.id ? -1 : 1));
  return (ascends(bounds) ? found.slice(0, limit) : found.slice(-limit)).reverse();
}
