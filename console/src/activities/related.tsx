/** What an activity led to: its sends, deliveries of its events, and mails. Each is a short list. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from '../../../openapi/client/public-api.d.ts';
import { visible } from '../../../review/visible.ts';
import { firstIdOf } from '../../../src/base/id-time.ts';
import { AsCommandHere, commandOf } from '../parts/command.tsx';
import { Copy } from '../parts/copy.tsx';
import { Failure } from '../parts/notice.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import { useRead } from '../service/read.ts';
import type { Activity } from '../service/types.ts';

type Schemas = components['schemas'];
type Send = Schemas['ListSendsResponse']['sends'][number];
type Delivery = Schemas['ListWebhookDeliveriesResponse']['webhookDeliveries'][number];
type Mail = Schemas['ListEmailEventsResponse']['emailEvents'][number];

/** A send changes with the chain, of which no event of activities tells. */
const SEND_AGAIN_MS = 2000;
const AGAIN_MS = 10_000;
/** An event is delivered, and a mail sent, soon after its activity changed. */
const SOON_MS = 60_000;
const MOST_DELIVERIES = '100';

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h2 className="part">
      {title} <span className="tag">as the service says</span>
    </h2>
    {children}
  </section>
);

type List<T> = { data: T[] | undefined; error: unknown; doing: string; none: ReactNode; row(one: T): ReactNode };

function Rows<T>({ data, error, doing, none, row }: List<T>) {
  if (data === undefined) return error ? <Failure error={error} doing={doing} /> : <p className="dim">Reading…</p>;
  return data.length === 0 ? <p className="dim">{none}</p> : <ul className="related">{data.map(row)}</ul>;
}

const SEND_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  INITIALIZED: ['waits to be sent', 'wait'],
  BROADCASTING: ['sent, in no block yet', 'wait'],
  INCLUDED: ['in a block', 'good'],
  FAILED: ['failed', 'bad'],
};

function SendRow({ send }: { send: Send }) {
  const [words, look] = SEND_WORDS[send.txStatus] ?? [send.txStatus, 'wait'];
  return (
    <li>
      <p>
        <span className={`status ${look}`}>{send.final && look === 'good' ? 'in a final block' : words}</span>{' '}
        <span className="dim">
          {send.caip2} · changed <Ago ms={millisecondsOf(send.updatedAt)} />
        </span>
      </p>
      {send.hash && (
        <p>
          transaction <code className="address">{send.hash}</code> <Copy text={send.hash} what="the hash" />
        </p>
      )}
      {send.block && (
        <p>
          receipt in block {send.block.number} <code className="address">{send.block.hash}</code>
        </p>
      )}
      {send.error && <p className="bad-text">{visible(send.error.message)}</p>}
      {send.waitsFor && <p>It waits for: {visible(send.waitsFor)}</p>}
      <AsCommandHere line={commandOf('sends', 'show', send.sendTransactionStatusId)} />
    </li>
  );
}

const Sends = ({ sends, error }: { sends: Send[] | undefined; error: unknown }) => (
  <Part title="Sends">
    <Rows
      data={sends}
      error={error}
      doing="Reading the sends"
      none="The service sent nothing for it. A signed transaction that others broadcast is not known here."
      row={(send) => <SendRow key={send.sendTransactionStatusId} send={send} />}
    />
  </Part>
);

const DELIVERY_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  PENDING: ['waits', 'wait'],
  DELIVERED: ['delivered', 'good'],
  DEAD: ['given up', 'bad'],
};

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const [words, look] = DELIVERY_WORDS[delivery.status] ?? [delivery.status, 'wait'];
  const { attempts, lastAttempt, error } = delivery;
  return (
    <li>
      <p>
        <span className={`status ${look}`}>{words}</span> {delivery.eventType}{' '}
        <span className="dim">
          to endpoint <code>{delivery.endpointId}</code>, {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
          {lastAttempt?.statusCode !== undefined && `, answered ${lastAttempt.statusCode}`}
        </span>
      </p>
      {error && <p className="bad-text">{visible(error)}</p>}
    </li>
  );
}

/** Of the activity and its sends, by what their events are about. */
function Deliveries({ activity, sends }: { activity: Activity; sends: readonly Send[] }) {
  const latest = Math.max(millisecondsOf(activity.updatedAt), ...sends.map((send) => millisecondsOf(send.updatedAt)));
  const paginationOptions = { limit: MOST_DELIVERIES, after: firstIdOf(latest + SOON_MS) };
  const { data, error } = useRead<{ webhookDeliveries: Delivery[] }>(
    'list_webhook_deliveries',
    { paginationOptions },
    { refetchInterval: AGAIN_MS },
  );
  const about = new Set([activity.id, ...sends.map(({ sendTransactionStatusId }) => sendTransactionStatusId)]);
  return (
    <Part title="Webhooks">
      <Rows
        data={data?.webhookDeliveries.filter(({ subject }) => about.has(subject))}
        error={error}
        doing="Reading the deliveries"
        none={`None of its events is among the last ${MOST_DELIVERIES} deliveries up to a minute after it changed. An endpoint of the organization gets them, if it has one.`}
        row={(delivery) => <DeliveryRow key={delivery.deliveryId} delivery={delivery} />}
      />
      <AsCommandHere line={commandOf('webhooks', 'deliveries')} />
    </Part>
  );
}

/** Parameters with the address that gets a mail. */
const MAILED = ['email', 'contact', 'receiverUserEmail', 'userEmail'];

/** The addresses that the parameters name, at most three. */
function addressesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) {
      if (found.size === 3) break;
      if (typeof each === 'string' && MAILED.includes(name) && each.includes('@')) found.add(each);
      else addressesIn(each, found);
    }
  return found;
}

const KINDS_WITH_MAIL = /OTP|EMAIL|INVITATION|RECOVERY/;

function Mails({ email, since }: { email: string; since: number }) {
  const { data, error } = useRead<{ emailEvents: Mail[] }>(
    'list_email_events',
    { email, paginationOptions: { limit: '20' } },
    { refetchInterval: AGAIN_MS },
  );
  return (
    <Part title={`Mails to ${visible(email)}`}>
      <Rows
        data={data?.emailEvents.filter(({ createdAt }) => Date.parse(createdAt) >= since)}
        error={error}
        doing="Reading the mails"
        none="No mail server has taken a mail to it since then. Without SMTP_URL and MAIL_FROM the service sends none."
        row={({ id, eventType, createdAt, details }) => (
          <li key={id}>
            {eventType} <Ago ms={Date.parse(createdAt)} />
            {details.deliverySmtpResponse && <span className="dim"> {visible(details.deliverySmtpResponse)}</span>}
          </li>
        )}
      />
    </Part>
  );
}

/** Activities that name another send or activity. */
function Named({ activity }: { activity: Activity }) {
  const [intent] = Object.values(activity.intent) as { fingerprint?: unknown; sendTransactionStatusId?: unknown }[];
  const id = intent?.sendTransactionStatusId;
  const { data } = useRead<{ sends: Send[] }>('list_sends', { sendTransactionStatusId: id }, { enabled: typeof id === 'string' });
  const [send] = data?.sends ?? [];
  if (send === undefined) return null;
  return (
    <p>
      It is about the send of{' '}
      <Link to="/activities/$id" params={{ id: send.activityId }}>
        activity {send.activityId}
      </Link>
    </p>
  );
}

export function Related({ activity }: { activity: Activity }) {
  const { data, error } = useRead<{ sends: Send[] }>(
    'list_sends',
    { filterByActivityId: activity.id },
    {
      refetchInterval: ({ state }) => (state.data?.sends.some(({ final }) => !final) ? SEND_AGAIN_MS : false),
    },
  );
  const sends = data?.sends ?? [];
  const mailed = KINDS_WITH_MAIL.test(activity.type) ? [...addressesIn(activity.intent)] : [];
  return (
    <>
      <Named activity={activity} />
      <Sends sends={data?.sends} error={error} />
      <Deliveries activity={activity} sends={sends} />
      {mailed.map((email) => (
        <Mails key={email} email={email} since={millisecondsOf(activity.createdAt)} />
      ))}
    </>
  );
}
