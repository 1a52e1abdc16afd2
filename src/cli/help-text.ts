/** The help without a command. */
export const HELP = `Usage: countersign COMMAND

  start                          run the service with the installed packages
  config [--json]                show the effective configuration, without secrets
  submit OPERATION [PARAMETERS]  submit an activity, stamped with the root credentials
  query OPERATION [PARAMETERS]   ask a query
  why ACTIVITY_ID [--json]       explain an activity: its votes, the outcome of each policy, and why
  policy check|test FILE...      check policies and run their test cases, without a service: see policy --help
  clock reset --reason TEXT      give up a wrong future of the service's time: see clock --help
  archive --before DATE          move old finished activities out of the database: see archive --help
  ip-allowlist off               let an organization in again that shut itself out: see ip-allowlist --help
  templates add|list|remove      HTML templates of mails: see templates --help
  outbox list|retry              mail and SMS that were not sent: see outbox --help
  sends list|show|cancel|…       transactions that the service sends: see sends --help
  chain show|deploy-station|…    networks that are served, contracts and coins of sponsored sends: see chain --help
  keygen NAME                    make an API key and its credentials file: see keygen --help
  stamp [BODY]                   print the X-Stamp header for a body (from standard input if left out)
  help [COMMAND]                 this text, or that of a command; COMMAND --help prints it too
  --version                      print the version

PARAMETERS is a JSON object. The answer is printed as JSON; the exit code is 1 when the service refuses.

  --credentials FILE   another file than DATA_DIR/root-credentials.json
  --url URL            another service than the one that BASE_URL or PORT names, or else that file
  --organization ID    another organization, such as a sub-organization
  --type TYPE          an older version of the activity

Examples:
  ./countersign query whoami
  ./countersign submit create_wallet '{"walletName":"Main","accounts":[]}'
  ./countersign why 0191f3c2-…         (the id is in the last entry of a refusal's details)
  ./countersign query list_activities '{"paginationOptions":{"limit":"5"}}'
`;
