import { FIRST_TEN } from './pages.ts';
import type { Tables } from './types.ts';

export const webhookFields: Tables = {
  CreateWebhookEndpointIntent: {
    name: 'A label for people, at most 255 characters.',
    subscriptions: 'Which events are sent: each type at most once. Empty or absent: none.',
  },
  UpdateWebhookEndpointIntent: {
    name: 'Replaces the label. Absent: it stays.',
    url: 'Replaces where events are posted. Absent: it stays.',
    isActive: 'False pauses the endpoint: it gets no event of that time. True resumes it, and tries it at once.',
  },
  CreateWebhookEndpointResult: { webhookEndpoint: 'The new endpoint with its URL and subscriptions.' },
  UpdateWebhookEndpointResult: { webhookEndpoint: 'The endpoint after the change, with its URL and subscriptions.' },
  WebhookEndpoint: {
    name: 'A label for people.',
    isActive: 'Whether it gets events. False: a user, or the service after 72 hours without a success, paused it.',
    subscriptions: 'Which events are sent.',
  },
  SubscriptionParams: {
    eventType: 'Which events are sent, such as changes of activities.',
    isActive: 'False: this entry sends nothing. Default true.',
  },
  subscriptions: {
    eventType: 'Which events are sent, such as `ACTIVITY_UPDATES`.',
    isActive: 'Whether this entry sends anything.',
  },
  ListWebhookEndpointsResponse: { webhookEndpoints: 'All endpoints with their subscriptions, oldest first.' },
  ListWebhookDeliveriesRequest: {
    endpointId: 'Only deliveries to this endpoint, by its UUID.',
    status: 'Only deliveries in this state.',
    paginationOptions: FIRST_TEN,
  },
  ListWebhookDeliveriesResponse: {
    webhookDeliveries: 'A page of deliveries, newest first. They are kept for 30 days after their end.',
  },
  WebhookDeliveryRow: {
    deliveryId: 'The UUID of the delivery: one event for one endpoint.',
    subject: 'What the event is about, such as the UUID of an activity or of a send.',
    eventType: 'What the event is about, such as `ACTIVITY_UPDATES`.',
    status: '`PENDING`, `DELIVERED`, or `DEAD`: given up.',
    attempts: 'How many times it was tried, since it was last resent.',
    lastAttempt: 'The newest try. Absent before the first.',
    error: 'Why there was no answer, or why it was given up.',
    endedAt: 'When it was delivered or given up.',
  },
  lastAttempt: {
    statusCode: 'The HTTP status of the answer. Absent: none came.',
    answer: 'The start of the answer, at most 1 KiB.',
  },
  CountersignResendWebhookDeliveriesIntent: { deliveryIds: 'UUIDs of ended deliveries, 1 to 100.' },
  CountersignResendWebhookDeliveriesResult: { deliveryIds: 'UUIDs of the deliveries that are sent again.' },
};
