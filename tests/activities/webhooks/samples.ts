import { ID, RECEIVER, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const webhooks: Samples = {
  CREATE_WEBHOOK_ENDPOINT: () => ({
    url: RECEIVER,
    name: 'Receiver',
    subscriptions: [
      { eventType: 'ACTIVITY_UPDATES', filtersJson: '{"activityStatus":["ACTIVITY_STATUS_COMPLETED"]}', isActive: true },
    ],
  }),
  UPDATE_WEBHOOK_ENDPOINT: () => ({ endpointId: ID, url: RECEIVER, name: 'Receiver', isActive: false }),
  DELETE_WEBHOOK_ENDPOINT: () => ({ endpointId: ID }),
  COUNTERSIGN_RESEND_WEBHOOK_DELIVERIES: () => ({ deliveryIds: [ID] }),
  COUNTERSIGN_TEST_WEBHOOK_ENDPOINT: () => ({ endpointId: ID }),
};
