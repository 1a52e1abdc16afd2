import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const mail: Samples = {
  list_email_events: () => ({ email: 'somebody@example.com', eventType: 'Send' }),
};
