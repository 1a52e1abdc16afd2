/** The help without a command. */
export const HELP = `Usage: countersign COMMAND

  start                          run the service with the installed packages
  config [--json]                show the effective configuration, without secrets
  doctor [--json]                find the problems of this instance, and their remedies
  console [--open]               make a link that adds a passkey for the console: see console --help
  submit OPERATION [PARAMETERS]  submit an activity, stamped with the root credentials
  query OPERATION [PARAMETERS]   ask a query
  operations [WORD]              list operations by resource; submit|query OPERATION --help explains one
  why ACTIVITY_ID [--json]       explain an activity: its votes, the outcome of each policy, and why
  approvals list|show|approve|…  what waits for approvals, read from the signed bytes: see approvals --help
  policy check|test FILE...      check policies and run their test cases, without a service: see policy --help
  plan DIR                       compare policies in files with an organization: see plan --help
  apply DIR                      make the organization as the files say: see apply --help
  clock reset --reason TEXT      reset the service clock after it jumped ahead: see clock --help
  archive --before DATE          move old finished activities out of the database: see archive --help
  custody status|rotate-…|…      root key, its shares, master keys: see custody --help
  backup --out FILE              copy the whole instance into an encrypted file: see backup --help
  restore --from FILE            restore such a copy, or prove with --drill that it can be: see restore --help
  ip-allowlist off               switch off an IP allow-list that locked its organization out: see ip-allowlist --help
  recover-root                   add a key to a root user who lost every credential: see recover-root --help
  freeze                         stop a user, a wallet, a key or an organization: see freeze --help
  unfreeze                       end a freeze, also by the operator: see unfreeze --help
  templates add|list|remove      HTML templates of mails: see templates --help
  outbox list|retry              mail and SMS that were not sent: see outbox --help
  sends list|show|cancel|…       sends of the service: see sends --help
  velocity list|show|…           limits over time, and what they have counted: see velocity --help
  instance adopt --reason TEXT   take a copied or moved database as this instance's: see instance --help
  webhooks list|deliveries|…     webhook endpoints and deliveries to them: see webhooks --help
  activities watch               activities as they change: see activities --help
  export --out FILE              write the record of an organization as JSON lines: see export --help
  verify FILE                    check such a file offline, stamp by stamp: see verify --help
  quota show|set                 quotas of signatures: see quota --help
  apps approve|status|…          manifests of verifiable apps, and what runs: see apps --help
  runner                         run verifiable apps, beside the service: see runner --help
  chain show|deploy-station|…    served networks, contracts and coins of sponsored sends: see chain --help
  keygen NAME                    create an API key and its credentials file: see keygen --help
  profile list|add               credentials with a name, for --profile: see profile --help
  completion bash|zsh|fish       a script that completes commands and operations in a shell
  stamp [BODY]                   print the X-Stamp header for a body (of standard input if omitted)
  help [COMMAND]                 this text, or the help of a command, as with COMMAND --help
  --version                      print the version

PARAMETERS is a JSON object, @FILE, or - for standard input. The answer is printed as JSON; the exit code is 1 when the service refuses.

  --credentials FILE   another file than DATA_DIR/root-credentials.json
  --profile NAME       the credentials of countersign profile add; COUNTERSIGN_PROFILE names one too
  --url URL            another service than that of BASE_URL, PORT or the credentials file
  --organization ID    another organization, such as a sub-organization
  --type TYPE          an older version of the activity
  --output FORMAT      json, table or yaml, of each command that has --json
  --field PATH         print a value alone, such as activity.status or users.*.userName; several are a line each
  --quiet              print nothing but errors and what --output or --field asks for

Exit codes: 0 done; 1 refused by the service, not done, or no such --field; 2 wrong usage, wrong settings or no answer; 3 done in part,
where the help of a command says so.

On a terminal a refusal is a few lines; --output json shows it whole. Colours need a terminal, and NO_COLOR turns them off.

Examples:
  ./countersign query whoami
  ./countersign submit create_wallet '{"walletName":"Main","accounts":[]}'
  ./countersign why 0191f3c2-…         (the id is in the last entry of a refusal's details)
  ./countersign query list_activities '{"paginationOptions":{"limit":"5"}}'
`;
