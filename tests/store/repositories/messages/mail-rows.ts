import type { EmailEvent } from '../../../../src/model/email-event.ts';
import type { MailTemplate } from '../../../../src/model/message.ts';
import { idOf, NOW } from '../../names.ts';

export const templateOf = (organizationId: string, id: string): MailTemplate => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  name: 'name',
  html: '<p>{{ .OtpCode }}</p>',
  uses: ['OtpCode'],
  createdAt: NOW,
});

export const emailEventOf = (organizationId: string, id: string, toAddress = 'Mail@Example.com'): EmailEvent => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  messageId: '<message@example.com>',
  eventType: 'Send',
  fromAddress: 'no-reply@example.com',
  toAddress,
  details: { deliverySmtpResponse: '250 OK' },
  createdAt: NOW,
});
