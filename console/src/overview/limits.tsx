/** Limits that are nearly used up: those over time, and the month's signatures. */
import { useQuery } from '@tanstack/react-query';
import type { components } from '../../../openapi/client/public-api.d.ts';
import { visible } from '../../../review/visible.ts';
import { commandOf } from '../parts/command.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import { read, readerOf } from '../service/read.ts';
import { type Session, useSession, useSessionState } from '../session/state.ts';
import { ASK_AGAIN_MS, Part } from './part.tsx';

type Schemas = components['schemas'];
type Control = Schemas['VelocityControl'];
type Bucket = Schemas['VelocityBucket'];
type Full = { key: string; name: string; used: number; of: string; roomAt?: Bucket['roomAt'] };
/** `more`: of some limit not all counters were read, or not all limits. */
type Found = { full: Full[]; limits: number; more: boolean };

/** Each of them is a question of its own. */
const MOST_LIMITS = 20;
const MOST_BUCKETS = 100;
/** A page ends early where much is reserved. */
const MOST_PAGES = 5;
const CLOSE = 0.8;

/** Undefined where the control is no upper limit. */
const usedOf = ({ counted, left }: Bucket): number | undefined => {
  if (left === undefined) return undefined;
  const most = Number(counted) + Number(left);
  return most > 0 ? Number(counted) / most : 1;
};

const shareText = (used: number): string => `${Math.floor(used * 100)} %`;

const noneOf = (more: boolean) => `No ${more ? 'counter that was read' : 'limit'} is used to ${shareText(CLOSE)}.`;

async function bucketsOf(session: Session, velocityControlId: string): Promise<{ buckets: Bucket[]; more: boolean }> {
  const buckets: Bucket[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && buckets.length < MOST_BUCKETS; pages++) {
    const asked = { velocityControlId, paginationOptions: { limit: String(MOST_BUCKETS - buckets.length), after } };
    const page = await read<Schemas['ListVelocityBucketsResponse']>(session, 'list_velocity_buckets', asked);
    buckets.push(...page.velocityBuckets);
    after = page.next;
    if (after === undefined) break;
  }
  return { buckets, more: after !== undefined };
}

async function fullOf(session: Session, { velocityControlId, name, identifier, aggregation }: Control) {
  const { buckets, more } = await bucketsOf(session, velocityControlId);
  const full = buckets.flatMap((bucket): Full[] => {
    const used = usedOf(bucket);
    if (used === undefined || used < CLOSE) return [];
    const of = `${bucket.counted} of ${aggregation.threshold}${bucket.bucket === '' ? '' : `, ${bucket.bucket}`}`;
    return [{ key: `${velocityControlId} ${bucket.bucket}`, name: name || identifier, used, of, roomAt: bucket.roomAt }];
  });
  return { full, more };
}

async function found(session: Session): Promise<Found> {
  const asked = { paginationOptions: { limit: String(MOST_LIMITS) } };
  const [{ velocityControls, pageInfo }, { quota }] = await Promise.all([
    read<Schemas['ListVelocityControlsResponse']>(session, 'list_velocity_controls', asked),
    read<Schemas['GetUsageResponse']>(session, 'get_usage', { interval: 'MONTH' }),
  ]);
  const each = await Promise.all(velocityControls.map((control) => fullOf(session, control)));
  const full = each.flatMap((one) => one.full);
  const used = quota === undefined ? 0 : quota.used / Math.max(1, quota.signaturesPerMonth);
  if (quota && used >= CLOSE)
    full.push({ key: 'quota', name: 'Signatures of this month', used, of: `${quota.used} of ${quota.signaturesPerMonth}` });
  return {
    full: full.toSorted((a, b) => b.used - a.used),
    limits: velocityControls.length + (quota ? 1 : 0),
    more: pageInfo.hasNextPage || each.some((one) => one.more),
  };
}

export function FullLimits() {
  const session = useSession();
  const { status } = useSessionState();
  const limits = useQuery({
    queryKey: [readerOf(session), 'limits'],
    queryFn: () => found(session),
    enabled: status === 'in',
    refetchInterval: ASK_AGAIN_MS,
  });
  return (
    <Part title="Limits close to full" read={limits} command={commandOf('query', 'list_velocity_controls', '{}')}>
      {({ full, limits: count, more }) => (
        <>
          {full.length === 0 && <p>{count === 0 ? 'There is no limit.' : noneOf(more)}</p>}
          <ul className="credentials">
            {full.map(({ key, name, used, of, roomAt }) => (
              <li key={key}>
                <strong>{visible(name)}</strong>: {shareText(used)}
                <br />
                <span className="dim">
                  {of}
                  {roomAt && (
                    <>
                      , room again <Ago ms={millisecondsOf(roomAt)} />
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
          {more && (
            <p className="dim">
              The first {MOST_LIMITS} limits are shown, with at most {MOST_BUCKETS} counters each.
            </p>
          )}
        </>
      )}
    </Part>
  );
}
