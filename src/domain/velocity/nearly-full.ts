import { hash } from 'node:crypto';
import { uuidOf } from '../../base/ids.ts';
import type { Organization } from '../../model/organization.ts';
import { type Alert, aggregateOf, type Spend } from '../../model/velocity-spend.ts';
import type { NewWebhookEvent } from '../../model/webhook-event.ts';
import { isLimit } from './judged.ts';
import type { Terms } from './terms.ts';
import { shown } from './units.ts';

const EVENT = 'COUNTERSIGN_VELOCITY_NEARLY_FULL';
const TYPE = 'countersign:velocity-nearly-full';

type Owner = Pick<Organization, 'id' | 'parentId'>;

function eventOf({ id: organizationId, parentId }: Owner, { control, comparison }: Terms, bucket: string): Alert['eventOf'] {
  return (total, activityId, now): NewWebhookEvent => {
    const { id: velocityControlId, identifier } = control;
    const { threshold, one } = comparison;
    const counted = aggregateOf(comparison, total);
    const idempotencyKey = hash('sha256', JSON.stringify([TYPE, velocityControlId, bucket, activityId]), 'hex');
    const msg = {
      ...{ velocityControlId, identifier, bucket, activityId, idempotencyKey },
      ...{ counted: shown(counted, one), left: shown(threshold - counted, one), threshold: shown(threshold, one) },
      timestamp: Math.floor(now / 1000),
    };
    return {
      organizationId,
      id: uuidOf(now, idempotencyKey),
      parentId,
      eventType: EVENT,
      subject: `${velocityControlId} ${bucket}`,
      filters: {},
      body: Buffer.from(JSON.stringify({ type: TYPE, organizationId, parentOrganizationId: parentId ?? organizationId, msg })),
      createdAt: now,
    };
  };
}

/** The spend of a limit over a time, with the event of a counter that it nearly fills. */
export function alerting(spend: Spend, terms: Terms, owner: Owner): Spend {
  if (!isLimit(terms) || terms.window.kind === 'transaction') return spend;
  return { ...spend, alert: { ...terms.comparison, eventOf: eventOf(owner, terms, spend.bucket) } };
}
