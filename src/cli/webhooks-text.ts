import { printable } from './printable.ts';

type Time = { seconds: string; nanos: string };

export type Endpoint = {
  endpointId: string;
  name: string;
  url: string;
  isActive: boolean;
  subscriptions: { eventType: string; isActive: boolean }[];
};

/** A row of `list_webhook_deliveries`. */
export type Delivery = {
  deliveryId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  status: string;
  attempts: number;
  lastAttempt?: { attemptedAt: Time; durationMs: number; statusCode?: number; answer?: string };
  error?: string;
  nextAttemptAt?: Time;
  createdAt: Time;
};

const timeOf = ({ seconds, nanos }: Time): string =>
  new Date(Number(seconds) * 1000 + Math.floor(Number(nanos) / 1e6)).toISOString();

const line = (parts: readonly string[]): string => `${printable(parts.filter((part) => part !== '').join('  '))}\n`;

export function endpointLine({ endpointId, name, url, isActive, subscriptions }: Endpoint): string {
  const active = subscriptions.filter((one) => one.isActive).map(({ eventType }) => eventType);
  return line([endpointId, isActive ? 'active' : 'paused', name, url, active.join(', ') || 'no subscriptions']);
}

/** What came of the last attempt, and how much of the answer fits in a line. */
function outcomeOf({ lastAttempt, error }: Delivery): string {
  if (lastAttempt?.statusCode === undefined) return error ?? '';
  const { statusCode, durationMs, answer = '' } = lastAttempt;
  const said = answer === '' ? '' : `: ${answer.slice(0, 80)}${answer.length > 80 ? '…' : ''}`;
  return `${statusCode} after ${durationMs} ms${said}`;
}

export function deliveryLine(delivery: Delivery): string {
  const { deliveryId, createdAt, status, eventType, endpointId, attempts, nextAttemptAt } = delivery;
  const tried = `${attempts} attempt${attempts === 1 ? '' : 's'}`;
  const next = nextAttemptAt === undefined ? '' : `next ${timeOf(nextAttemptAt)}`;
  return line([deliveryId, timeOf(createdAt), status, eventType, `to ${endpointId}`, tried, outcomeOf(delivery), next]);
}
