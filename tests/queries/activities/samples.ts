import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const activities: Samples = {
  get_activity: () => ({ activityId: ID }),
  list_activities: () => ({}),
  list_audit: () => ({}),
  create_stream_ticket: () => ({ subOrganizations: true }),
};
