/** Help of the commands that have one form, and of those that ask the service. */
const CREDENTIALS = `  --credentials FILE   another file than DATA_DIR/root-credentials.json, such as one of countersign keygen
  --url URL            another service than the one that BASE_URL or PORT names, or else that file
  --organization ID    another organization, such as a sub-organization
`;

const EXIT = 'Exit codes: 0 done, 1 the service refused, 2 wrong usage or no answer.';

export const START_HELP = `Usage: countersign start

Runs the service with the installed packages, until it gets SIGTERM or SIGINT. npm start does the same, but it installs packages first,
and keeps messages (DEV_OUTBOX) where only this machine reaches the service and nothing else is set that sends mail or SMS.
Settings are environment variables: countersign config shows them, docs/operating/settings.md explains them.

Examples:
  ./countersign start
  PORT=8080 DATA_DIR=/var/lib/countersign ./countersign start
`;

export const CONFIG_HELP = `Usage: countersign config [--json]

Shows the configuration that the service would start with here: environment variables and defaults, without secrets. It starts nothing
and asks no service. A wrong setting is an error, an unknown one a warning.

  --json   as JSON

Examples:
  ./countersign config
  LIMIT_USERS=500 ./countersign config --json
`;

export const SUBMIT_HELP = `Usage: countersign submit OPERATION [PARAMETERS] [--type TYPE] [options]

Submits an activity, stamped with the root credentials unless others are named, and prints the answer as JSON. PARAMETERS is a JSON
object. Without OPERATION it lists all. What the service wants of each stands at /docs, and in openapi/.

  --type TYPE          an older version of the activity
${CREDENTIALS}
${EXIT}

Examples:
  ./countersign submit create_wallet '{"walletName":"Main","accounts":[]}'
  ./countersign submit create_user_tag '{"userTagName":"Traders","userIds":[]}' --organization 0191f3c2-…
  ./countersign submit approve_activity '{"fingerprint":"sha256:…"}' --credentials alice.credentials.json
`;

export const QUERY_HELP = `Usage: countersign query OPERATION [PARAMETERS] [options]

Asks a query, stamped with the root credentials unless others are named, and prints the answer as JSON. PARAMETERS is a JSON object.
Without OPERATION it lists all. It changes nothing.

${CREDENTIALS}
${EXIT}

Examples:
  ./countersign query whoami
  ./countersign query list_activities '{"paginationOptions":{"limit":"5"}}'
  ./countersign query get_wallet '{"walletId":"0191f3c2-…"}' --url https://sign.example.com
`;

export const WHY_HELP = `Usage: countersign why ACTIVITY_ID [--json] [options]

Explains an activity: its votes, what each policy came to, and why it was allowed, refused, or waits. The id of a refused one is in
the last entry of the refusal's details.

  --json               as JSON
${CREDENTIALS}
${EXIT}

Examples:
  ./countersign why 0191f3c2-…
  ./countersign why 0191f3c2-… --json --organization 0191f3c2-…
`;

export const STAMP_HELP = `Usage: countersign stamp [BODY] [--credentials FILE]

Prints the X-Stamp header for a body, over its exact bytes: of the argument, or else of standard input. It asks no service.

  --credentials FILE   another file than DATA_DIR/root-credentials.json, such as one of countersign keygen

Examples:
  ./countersign stamp '{"organizationId":"0191f3c2-…"}'
  ./countersign stamp < body.json
  curl --data-binary @body.json -H "X-Stamp: $(./countersign stamp < body.json)" http://localhost:8080/public/v1/query/whoami
`;
