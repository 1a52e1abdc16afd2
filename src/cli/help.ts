/** Help of commands whose modules are slow to load. */
export const CLOCK_HELP = `Usage: countersign clock reset --reason TEXT [--dry-run] [--json]

Gives up a service's time that is ahead because a machine's clock was wrong. The time goes on from this machine's clock,
which must be right. SQLite: stop the service first, unless it is a dry run. PostgreSQL: running services follow within seconds of
their next request.

  --reason TEXT   why; kept in the database and written to the service's log
  --dry-run       only say what would happen
  --json          the outcome as JSON

Exit codes: 0 done or nothing to do, 1 not done, 2 wrong usage.

Examples:
  ./countersign clock reset --reason "NTP was off" --dry-run
  ./countersign clock reset --reason "NTP was off"
`;

export const IP_ALLOWLIST_HELP = `Usage: countersign ip-allowlist off --reason TEXT [--organization ID] [--dry-run] [--json]

Switches the IP allow-list of an organization off, past all policies, when nobody who could change it gets in any more. Its blocks
stay, and set_ip_allowlist switches it on again. SQLite: stop the service first, unless it is a dry run. PostgreSQL: running services
follow at once.

  --reason TEXT       why; kept in the database
  --organization ID   another one than the root organization
  --dry-run           show the list, and change nothing
  --json              the outcome as JSON

Exit codes: 0 done or nothing to do, 1 not done, 2 wrong usage.

Examples:
  ./countersign ip-allowlist off --reason "the office moved" --dry-run
  ./countersign ip-allowlist off --reason "the office moved"
`;

export const TEMPLATES_HELP = `Usage: countersign templates add FILE --name NAME [--organization ID] [--dry-run] [--json]
       countersign templates list [--organization ID] [--json]
       countersign templates remove TEMPLATE_ID [--organization ID] [--dry-run] [--json]

HTML templates of mails about signing in. Requests name one as emailCustomization.templateId. A request that names none gets the
newest of its organization that has a place for what it sends; remove it to go back to the built-in design. Sub-organizations use the
templates of their parent. The plain text of a mail is always the built-in one.

In a template, values stand as {{ .OtpCode }}, {{ .CredentialBundle }}, {{ .MagicLink }}, {{ .AppName }}, {{ .LogoUrl }} and
{{ index .TemplateVariables "key" }}. Nothing else stands between braces. Every value is escaped for HTML; put quotes around attributes.
It needs {{ .OtpCode }} for one-time codes, {{ .CredentialBundle }} for email auth and recovery, or {{ .MagicLink }} for requests with a
magicLinkTemplate.

  --name NAME         how the template is listed
  --organization ID   another one than the root organization
  --dry-run           check, and change nothing
  --json              the outcome as JSON

list and --dry-run may run beside the service. Else, on SQLite, stop it first; on PostgreSQL, running services use what was changed at once.
Exit codes: 0 done, 1 not done, 2 wrong usage, or a template that is refused.

Examples:
  ./countersign templates add sign-in.html --name "Sign-in code"
  ./countersign templates list --json
  ./countersign templates remove 0191f3c2-0000-7000-8000-000000000000 --dry-run
`;

export const OUTBOX_HELP = `Usage: countersign outbox list [--state dead|ready|expired] [--limit N] [--after MESSAGE_ID] [--json]
       countersign outbox retry MESSAGE_ID | --all [--dry-run] [--json]

Messages (mail and SMS) that were not sent: dead ones, which were refused or tried too often, unless --state says another. What a
message says is never shown. retry makes dead messages ready again; a running service sends them within seconds. A message whose time
is over, such as an old code, is expired: its contents are gone, and it cannot be sent.

  --state STATE   dead, ready (waiting, or being sent) or expired
  --limit N       at most so many, 50 unless given, up to 1000
  --after ID      those after this message: the last one of the page before
  --all           every dead message
  --dry-run       only say what would be sent again
  --json          the outcome as JSON

list and --dry-run may run beside the service. Else, on SQLite, stop it first; on PostgreSQL, services may run meanwhile.
Exit codes: 0 done, 1 not done, 2 wrong usage.

Examples:
  ./countersign outbox list
  ./countersign outbox list --state ready --limit 10 --json
  ./countersign outbox retry --all --dry-run
`;

export const ARCHIVE_HELP = `Usage: countersign archive --before DATE [--dry-run] [--json] [--compact] [--batch ROWS]

Moves activities that finished before DATE out of the database, each with its votes, audit rows and evaluations. Activities that wait
for approvals stay. What was archived is still found by its id, and its body still gets the same answer; lists leave it out.

  --before DATE   2025-01-31 (its first moment in UTC), or 2025-01-31T12:00:00Z; at least two days ago
  --dry-run       say what would be archived, and change nothing
  --json          the outcome as JSON
  --compact       SQLite: give the space that is free then back to the file system (needs up to twice the size of the database)
  --batch ROWS    how many activities are moved at once, 500 unless given

SQLite: stop the service first; the archive is DATA_DIR/archive.db. A dry run may run beside the service.
PostgreSQL: services may run meanwhile; the archive is in tables by month, such as archived_activities_2025_01.
An interrupted run loses nothing: run it again.

Exit codes: 0 done, 1 not done or not all of it, 2 wrong usage.

Examples:
  ./countersign archive --before 2025-01-01 --dry-run
  ./countersign archive --before 2025-01-01 --compact
  ./countersign archive --before "$(date -u -d '90 days ago' +%F)" --json
`;

export const POLICY_HELP = `Usage: countersign policy check FILE... [--json] [--strict]
       countersign policy test FILE... [--json] [--strict]

  check   parses and type-checks policies and scopes, and warns of what can never be true
  test    does the same, and decides every case of the file as the service would

Nothing is sent anywhere: no service is needed. A FILE is YAML or JSON. The exit code is 0 if everything is as it should be,
1 if a policy is wrong or a case fails, and 2 if a file cannot be read. Warnings change it with --strict only.
For example, policies.yaml:

  policies:
    - name: Ann signs with the hot wallet
      effect: ALLOW
      condition: activity.action == 'SIGN' && wallet.id == 'hot'
      consensus: approvers.any(user, user.id == 'ann')
  cases:
    - name: with another wallet she may not
      activity: { type: ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2 }
      roots: { wallet: { id: cold } }
      approvers: [{ id: ann }]
      wanted: DENY

  ./countersign policy test policies.yaml

The format of files: docs/policy-testing.md
`;
