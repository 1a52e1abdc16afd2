import { EXIT } from './client-help.ts';
import { CREDENTIALS } from './credentials-help.ts';

export const VELOCITY_HELP = `Usage: countersign velocity list [--limit N] [--after ID]
       countersign velocity show CONTROL_ID [--limit N] [--after BUCKET]
       countersign velocity entries CONTROL_ID [BUCKET] [--limit N] [--after ACTIVITY_ID]
       countersign velocity release ENTRY_ID --reason TEXT
       countersign velocity check

Limits over time: docs/spending.md explains them, and submit create_velocity_control makes one.

The action list shows those of the organization. The action show says what one has counted in each bucket, and what is left. The action
entries shows the activities that a bucket has counted. A bucket is a user, a wallet or a key. A signer
or a recipient may follow after a slash. Without BUCKET it is that of the organization.

The action release gives back what a send has reserved, for example one that will never be in a block. It is an activity: policies decide, and
it is recorded. ENTRY_ID is the first word of a line of entries. Spent amounts cannot be released.

The action check is the operator's. It needs the service's settings, and no credentials. It compares each counter in the database with its
entries, for all organizations. It may run beside the service. Its exit code is 1 if they differ.

  --limit N            at most N: from 1 to 100 (default 50)
  --after …            the next page
  --reason TEXT        why an entry is released; it is recorded
  --json               as JSON
${CREDENTIALS}
${EXIT}

Examples:
  ./countersign velocity list
  ./countersign velocity show 0191f3c2-…
  ./countersign velocity entries 0191f3c2-… --limit 10
  ./countersign velocity release 0191f3c2-…/0191f3c5-…/ --reason "the send is lost"
  ./countersign velocity check --json
`;
