import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Seconds: from receivers that answer at once to those that were down for days. */
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600, 3600, 21_600, 86_400];

export const ATTEMPT_OUTCOMES = ['delivered', 'retry', 'dead'] as const;

/** Labels are outcomes, never organizations or endpoints: there are few. */
export function webhookFamilies(registers: Registry[]) {
  const families = {
    attempts: new Counter({
      name: 'countersign_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    seconds: new Histogram({
      name: 'countersign_webhook_delivery_seconds',
      help: 'Time from the making of a webhook delivery until an endpoint took it',
      buckets: SECONDS,
      registers,
    }),
    paused: new Counter({
      name: 'countersign_webhook_pauses_total',
      help: 'Webhook endpoints that were paused after 72 hours without a success',
      registers,
    }),
    late: new Gauge({
      name: 'countersign_webhook_late_seconds',
      help: 'Time since the longest waiting webhook event was recorded, or endpoint was due, and no process took it',
      registers,
    }),
  };
  // They begin at zero, so that the first one counts as an increase.
  for (const outcome of ATTEMPT_OUTCOMES) families.attempts.inc({ outcome }, 0);
  families.paused.inc(0);
  return families;
}

export type WebhookFamilies = ReturnType<typeof webhookFamilies>;
