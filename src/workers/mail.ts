import type { Ids } from '../base/ids.ts';
import { mailContents } from '../messages/mail.ts';
import { parseTemplate, type Template } from '../messages/template.ts';
import type { EmailEventDetails, EmailEventType } from '../model/email-event.ts';
import { isOfService, type MailMessage } from '../model/message.ts';
import type { Mailer, Outgoing } from '../outbound/types.ts';
import type { Reader, Writer } from '../store/types.ts';
import type { Outcome, Topic } from './outbox.ts';

/** The sender of mails, unless a request names another one and may. */
export type From = { name: string; address: string };

type Parts = { mailer: Mailer; from: From; read: Reader; ids: Ids; clock: { now(): number } };

const fromOf = (mail: MailMessage, from: From): From => {
  if (isOfService(mail) || mail.sender.address === undefined) return from;
  return { address: mail.sender.address, name: mail.sender.name ?? 'Notifications' };
};

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** Undefined if the template was removed meanwhile: the mail is sent in the service's own design. */
async function templateOf(read: Reader, organizationId: string, mail: MailMessage): Promise<Template | undefined> {
  if (isOfService(mail) || mail.style.templateId === undefined) return undefined;
  const organization = await read.organizations.get(organizationId);
  const owner = organization?.parentId ?? organizationId;
  const stored = await read.mailTemplates.get(owner, mail.style.templateId);
  return stored && parseTemplate(stored.html);
}

/** The event for an outcome. */
function eventOf(outcome: Outcome): { eventType: EmailEventType; details: EmailEventDetails } {
  if ('sent' in outcome)
    return {
      eventType: 'Send',
      details: { deliverySmtpResponse: outcome.sent.response, deliveryProcessingTimeMillis: String(outcome.afterMs) },
    };
  const diagnosticCode = outcome.said ?? 'the service could not use its mail server';
  if (outcome.isOver)
    return {
      eventType: 'Bounce',
      details: { bounceType: outcome.refused ? 'Permanent' : 'Transient', bounceSubType: 'General', diagnosticCode },
    };
  return { eventType: 'DeliveryDelay', details: { deliveryDelayType: 'General', diagnosticCode } };
}

/** The secrets of a mail. An invitation's link has its secret after the `#`. */
function secretsOf(mail: MailMessage): string[] {
  if (mail.template === 'code') return [mail.code];
  if (!isOfService(mail)) return [mail.bundle];
  if (mail.template !== 'invitation') return [];
  const secret = new URLSearchParams(URL.parse(mail.link)?.hash.slice(1)).get('secret');
  return [mail.link, secret ?? ''];
}

/** Topic `mail`: writes a mail, sends it, and records the outcome. */
export function mailTopic({ mailer, from, read, ids, clock }: Parts): Topic {
  const messageId = (id: string, mail: MailMessage) => `<${id}@${domainOf(fromOf(mail, from).address)}>`;
  return {
    async send({ id, organizationId, payload }: Outgoing) {
      const mail = payload as MailMessage;
      const contents = mailContents(mail, clock.now(), await templateOf(read, organizationId, mail));
      const replyTo = isOfService(mail) ? undefined : mail.sender.replyTo;
      return mailer.send({ messageId: messageId(id, mail), from: fromOf(mail, from), to: mail.to, replyTo, ...contents });
    },
    secrets: (payload) => secretsOf(payload as MailMessage),
    async settled(tx: Writer, { id, organizationId, payload }: Outgoing, outcome: Outcome) {
      const mail = payload as MailMessage;
      await tx.emailEvents.insert({
        organizationId,
        id: ids.next(),
        messageId: messageId(id, mail),
        ...eventOf(outcome),
        fromAddress: fromOf(mail, from).address,
        toAddress: mail.to,
        createdAt: clock.now(),
      });
    },
  };
}
