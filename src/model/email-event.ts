/** What a mail server may tell of a mail. Ours are told by the server that takes it: it says nothing of Delivery and Complaint. */
export const EMAIL_EVENT_TYPES = ['Send', 'Delivery', 'Bounce', 'DeliveryDelay', 'Complaint'] as const;

export type EmailEventType = (typeof EMAIL_EVENT_TYPES)[number];

export type EmailEventDetails = {
  bounceType?: string;
  bounceSubType?: string;
  /** The server's answer to a mail that it did not take. */
  diagnosticCode?: string;
  /** The server's answer to a mail that it took. */
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
