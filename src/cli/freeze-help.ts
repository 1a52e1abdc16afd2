const WHAT = `  --user ID          a user: everything that they submit or approve is refused
  --wallet ID        a wallet: nothing signs, sends, exports or deletes its keys
  --private-key ID   a private key, in the same way
  --all              all keys of the organization, in the same way`;

const CLIENT = `  --credentials FILE   another file than DATA_DIR/root-credentials.json
  --profile NAME       the credentials of countersign profile add
  --url URL            another service than that of BASE_URL, PORT or the credentials file
  --organization ID    another organization: the credentials must be those of a user in it`;

export const FREEZE_HELP = `Usage: countersign freeze (--user ID | --wallet ID | --private-key ID | --all) --reason TEXT [--keep-sends]

Stops a user, a wallet, a private key or all keys of an organization. It is an activity: policies decide, and it is recorded. Once the
activity has completed, nothing that is frozen signs any more. While it waits for approvals, nothing is stopped. Open sends of frozen keys
are cancelled where they can be. The freeze of a user cancels none. docs/freezing.md has the details.

${WHAT}
  --reason TEXT      why; it is recorded, and list_freezes shows it
  --keep-sends       let sends go on that were accepted before
${CLIENT}

Exit codes: 0 done or waiting for approvals, 1 the service refused, 2 wrong usage or no answer.

Examples:
  ./countersign freeze --wallet 0191f3c2-… --reason "a laptop was stolen"
  ./countersign freeze --all --reason "an alarm" --credentials night-shift.json
  ./countersign query list_freezes
`;

export const UNFREEZE_HELP = `Usage: countersign unfreeze (--user ID | --wallet ID | --private-key ID | --all) --reason TEXT
       countersign unfreeze --operator --organization ID (--user ID | --wallet ID | --private-key ID | --all) --reason TEXT
                            [--dry-run] [--json]

Ends a freeze. The first form is an activity: policies decide, and a frozen user takes no part in their own. The second form is the last
way, if the users who could decide are lost. It needs the root key and the database, asks no policy, and is recorded as an activity of the
operator. Without --dry-run on SQLite, stop the service first. OPERATOR_RECOVERY=off and a root quorum that refuses recoveries forbid it.

${WHAT}
  --reason TEXT      why; it is recorded
  --operator         without the users, by the operator
  --dry-run          for --operator: check everything, and change nothing
  --json             for --operator: the outcome as JSON
${CLIENT}

Exit codes: 0 done or waiting for approvals, 1 not done, 2 wrong usage or no answer.

Examples:
  ./countersign unfreeze --wallet 0191f3c2-… --reason "the laptop was found"
  ./countersign unfreeze --operator --organization 0191f3c2-… --user 0191f3c2-… --reason "no user is left" --dry-run
`;
