import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Spans } from '../base/spans.ts';
import type { Vault } from '../custody/types.ts';
import { payloadOf } from '../engine/activity/sealed.ts';
import type { Log, MessagePort } from '../engine/ports.ts';
import { type DevOutbox, devOutbox, type Kept } from '../outbound/dev-outbox.ts';
import { mailDomains } from '../outbound/mail-domains.ts';
import { twilio } from '../outbound/sms-twilio.ts';
import { smsWebhook } from '../outbound/sms-webhook.ts';
import { smtpMailer } from '../outbound/smtp.ts';
import type { Mailer, Texter } from '../outbound/types.ts';
import type { MessageSettings } from '../settings/messages.ts';
import type { Store } from '../store/types.ts';
import { mailTopic } from '../workers/mail.ts';
import { type OutboxWorker, outboxWorker, type Topic } from '../workers/outbox.ts';
import { smsTopic } from '../workers/sms.ts';
import { tracedTopic } from './traces/parts.ts';

type Parts = {
  settings: MessageSettings;
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Log;
  vault: Vault;
  /** Further topics. */
  also: Iterable<readonly [string, Topic]>;
  spans: Spans | undefined;
};

export type Messages = {
  port: MessagePort;
  worker: OutboxWorker;
  /** Messages that are kept and not sent, the newest first. They include those of every activity that was answered before. */
  kept: (() => Promise<readonly Kept[]>) | undefined;
};

function texterOf({ sms }: MessageSettings, now: () => number): Texter | undefined {
  if (sms === undefined) return undefined;
  return sms.provider === 'twilio' ? twilio(sms) : smsWebhook(sms, now);
}

/** Longer than it takes to keep the waiting messages. */
const PATIENCE_MS = 2_000;

const keptBy = (dev: DevOutbox, worker: OutboxWorker) => async (): Promise<readonly Kept[]> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([worker.settled(), late]);
  clearTimeout(timer);
  return dev.messages();
};

/** The senders of mail and SMS, as the settings say. */
export function openMessages({ settings, store, clock, ids, log, vault, also, spans }: Parts): Messages {
  const dev = settings.devOutbox ? devOutbox(clock.now) : undefined;
  const mailer: Mailer | undefined = dev?.mailer ?? (settings.smtp && smtpMailer(settings.smtp));
  const texter = dev?.texter ?? texterOf(settings, clock.now);
  const topics = new Map<string, Topic>(also);
  if (mailer) topics.set('mail', mailTopic({ mailer, from: settings.from, read: store.read, ids, clock }));
  if (texter) topics.set('sms', smsTopic(texter));
  if (spans) for (const [name, topic] of topics) topics.set(name, tracedTopic(topic, spans));
  const worker = outboxWorker({ store, clock, log, topics, payloadOf: (message) => payloadOf(vault, message) });
  const reaches = settings.checkDns ? mailDomains() : async () => true;
  return {
    kept: dev && keptBy(dev, worker),
    port: {
      mail: { enabled: mailer !== undefined, senderDomains: new Set(settings.senderDomains), reaches },
      sms: { enabled: texter !== undefined },
    },
    worker: {
      ...worker,
      close: () =>
        worker.close(() => {
          mailer?.close();
          texter?.close();
        }),
    },
  };
}
