import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const activities: Samples = {
  get_activity: () => ({ activityId: ID }),
  list_activities: () => ({}),
  list_audit: () => ({}),
  list_waiting_activities: () => ({}),
  review_activity: () => ({ activityId: ID }),
  create_stream_ticket: () => ({ subOrganizations: true }),
};
