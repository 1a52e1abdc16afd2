/**
 * Events that a mail server may report about a mail. Ours come from the server that accepts the mail. It never reports Delivery and
 * Complaint.
 */
export const EMAIL_EVENT_TYPES = ['Send', 'Delivery', 'Bounce', 'DeliveryDelay', 'Complaint'] as const;

export type EmailEventType = (typeof EMAIL_EVENT_TYPES)[number];

export type EmailEventDetails = {
  bounceType?: string;
  bounceSubType?: string;
  /** The server's answer to a mail that it refused. */
  diagnosticCode?: string;
  /** The server's answer to a mail that it accepted. */
  deliverySmtpResponse?: string;
  deliveryProcessingTimeMillis?: string;
  deliveryDelayType?: string;
};

export type EmailEvent = {
  organizationId: string;
  id: string;
  messageId: string;
  eventType: EmailEventType;
  fromAddress: string;
  toAddress: string;
  details: EmailEventDetails;
  createdAt: number;
};
