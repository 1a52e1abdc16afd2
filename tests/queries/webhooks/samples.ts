import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const webhooks: Samples = {
  list_webhook_endpoints: () => ({}),
};
