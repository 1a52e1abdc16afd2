import { EXIT } from './client-help.ts';
import { CREDENTIALS } from './credentials-help.ts';

export const VELOCITY_HELP = `Usage: countersign velocity list [--limit N] [--after ID]
       countersign velocity show CONTROL_ID [--limit N] [--after BUCKET]
       countersign velocity entries CONTROL_ID [BUCKET] [--limit N] [--after ACTIVITY_ID]
       countersign velocity release ENTRY_ID --reason TEXT
       countersign velocity replay FILE [--from TIME] [--until TIME]
       countersign velocity check

Limits over time: docs/spending.md explains them, and submit create_velocity_control makes one.

The action list shows those of the organization. The action show says what one has counted in each bucket, and what is left. The action
entries shows the activities that a bucket has counted. A bucket is a user, a wallet or a key. A signer
or a recipient may follow after a slash. Without BUCKET it is that of the organization.

The action release gives back what a send has reserved, for example one that will never be in a block. It is an activity: policies decide, and
it is recorded. ENTRY_ID is the first word of a line of entries. Spent amounts cannot be released.

The action replay runs a draft over the executed activities of the past, archived ones left out. It shows those that the draft would have
refused, and the most that each bucket would have had. Nothing is written. FILE has the draft, as
submit create_velocity_control takes it; - is standard input.

The action check is the operator's. It needs the service's settings, and no credentials. It compares each counter in the database with its
entries, for all organizations. It may run beside the service. Its exit code is 1 if they differ.

  --limit N            at most N: from 1 to 100 (default 50)
  --after …            the next page
  --reason TEXT        why an entry is released; it is recorded
  --from TIME          activities since this day or time
  --until TIME         activities up to this day or time
  --json               as JSON
${CREDENTIALS}
${EXIT}

Examples:
  ./countersign velocity list
  ./countersign velocity show 0191f3c2-…
  ./countersign velocity entries 0191f3c2-… --limit 10
  ./countersign velocity release 0191f3c2-…/0191f3c5-…/ --reason "the send is lost"
  ./countersign velocity replay draft.json --from 2026-01-01
  ./countersign velocity check --json
`;
