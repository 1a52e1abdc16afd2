import { CREDENTIALS } from './credentials-help.ts';

/** Help of the commands that have one form, and of those that ask the service. */
export const EXIT = 'Exit codes: 0 done, 1 the service refused, 2 wrong usage or no answer.';

export const START_HELP = `Usage: countersign start

Runs the service with the installed packages until SIGTERM or SIGINT. The command npm start does the same, but it installs
packages first. It also keeps messages (DEV_OUTBOX) if only this machine reaches the service and no setting sends mail or SMS.
Settings are environment variables: countersign config shows them, docs/operating/settings.md explains them.

Examples:
  ./countersign start
  PORT=8080 DATA_DIR=/var/lib/countersign ./countersign start
`;

export const CONFIG_HELP = `Usage: countersign config [--json]

Shows the configuration with which the service would start: environment variables and defaults, without secrets. It starts nothing
and calls no service. A wrong setting is an error, an unknown setting a warning.

  --json   as JSON

Examples:
  ./countersign config
  LIMIT_USERS=500 ./countersign config --json
`;

export const SUBMIT_HELP = `Usage: countersign submit OPERATION [PARAMETERS] [--type TYPE] [options]

Submits an activity, stamped with the root credentials unless --credentials names others, and prints the answer as JSON. PARAMETERS is a JSON
object, @FILE, or - for standard input. The command operations lists all operations. With --help after OPERATION, its parameters are
shown.

  --type TYPE          an older version of the activity
${CREDENTIALS}
${EXIT}

Examples:
  ./countersign submit create_wallet '{"walletName":"Main","accounts":[]}'
  ./countersign submit create_user_tag '{"userTagName":"Traders","userIds":[]}' --organization 0191f3c2-…
  ./countersign submit approve_activity '{"fingerprint":"sha256:…"}' --credentials alice.credentials.json
`;

export const QUERY_HELP = `Usage: countersign query OPERATION [PARAMETERS] [options]

Sends a query, stamped with the root credentials unless --credentials names others, and prints the answer as JSON. PARAMETERS is a
JSON object, @FILE, or - for standard input. It changes nothing. The command operations lists all
queries. With --help after OPERATION, its parameters are shown.

${CREDENTIALS}
${EXIT}

Examples:
  ./countersign query whoami
  ./countersign query list_activities '{"paginationOptions":{"limit":"5"}}'
  ./countersign query get_wallet '{"walletId":"0191f3c2-…"}' --url https://sign.example.com
`;

export const OPERATIONS_HELP = `Usage: countersign operations [WORD] [--json]

Lists the operations of this version by resource: activities for submit, and queries for query. With WORD it lists those that have it in
their name, resource, summary or parameters.

  --json   as JSON

Exit codes: 0 done, 2 wrong usage or nothing found.

Examples:
  ./countersign operations
  ./countersign operations wallet
  ./countersign operations signWith --field 'operations.*.name'
`;

export const COMPLETION_HELP = `Usage: countersign completion bash|zsh|fish

Prints a script that completes commands, operations and options in a shell. Read it at the start of the shell. In the shell's own file,
write the whole path of countersign, unless its folder is in PATH. After an upgrade, start the shell again.

Examples:
  source <(./countersign completion bash)      (in ~/.bashrc)
  source <(./countersign completion zsh)       (in ~/.zshrc)
  ./countersign completion fish | source       (in ~/.config/fish/config.fish)
`;

export const PROFILE_HELP = `Usage: countersign profile list [--json]
       countersign profile add NAME --credentials FILE [--organization ID] [--url URL] [--force] [--json]

A profile is a credentials file with a name: --profile NAME, or COUNTERSIGN_PROFILE=NAME, uses it in any folder. The action add
copies a file, such as one of countersign keygen, to the folder of profiles. The copy has mode 0600. The folder is
$XDG_CONFIG_HOME/countersign/profiles, or ~/.config/countersign/profiles. A profile that other users can read or write is refused. No
command shows a private key. To remove a profile, delete its file, which profile list --json names.

  --credentials FILE   the file to copy
  --organization ID    the organization of the profile, if the file names none or another
  --url URL            the service of the profile, if the file names none or another
  --force              replace a profile of this name
  --json               as JSON

Give --credentials or --profile, not both. Each goes before COUNTERSIGN_PROFILE. Without them, commands use DATA_DIR/root-credentials.json.

Exit codes: 0 done, 1 not done, 2 wrong usage.

Examples:
  ./countersign profile add ann --credentials ann.credentials.json --url https://sign.example.com
  ./countersign profile list
  ./countersign --profile ann query whoami
`;

export const WHY_HELP = `Usage: countersign why ACTIVITY_ID [--json] [options]

Explains an activity: its votes, the outcome of each policy, and why it was allowed or refused, or waits. The id of a refused activity is in
the last entry of the refusal's details.

  --json               as JSON
${CREDENTIALS}
${EXIT}

Examples:
  ./countersign why 0191f3c2-…
  ./countersign why 0191f3c2-… --json --organization 0191f3c2-…
`;

export const STAMP_HELP = `Usage: countersign stamp [BODY] [--credentials FILE]

Prints the X-Stamp header for a body, over its exact bytes: the argument, or else standard input. It calls no service.

  --credentials FILE   another file than DATA_DIR/root-credentials.json, such as one of countersign keygen

Examples:
  ./countersign stamp '{"organizationId":"0191f3c2-…"}'
  ./countersign stamp < body.json
  curl --data-binary @body.json -H "X-Stamp: $(./countersign stamp < body.json)" http://localhost:8080/public/v1/query/whoami
`;
