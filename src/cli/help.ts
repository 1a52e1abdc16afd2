/** Help of commands whose modules are slow to load. */
export const CLOCK_HELP = `Usage: countersign clock reset --reason TEXT [--dry-run] [--json]

Resets the service clock after a wrong machine clock moved it ahead. The service's time continues from this machine's clock,
which must be right. SQLite: stop the service first, except for a dry run. PostgreSQL: running services follow within seconds of
their next request.

  --reason TEXT   why; kept in the database and written to the service's log
  --dry-run       show the outcome, and change nothing
  --json          the outcome as JSON

Exit codes: 0 done or nothing to do, 1 not done, 2 wrong usage.

Examples:
  ./countersign clock reset --reason "NTP was off" --dry-run
  ./countersign clock reset --reason "NTP was off"
`;

export const IP_ALLOWLIST_HELP = `Usage: countersign ip-allowlist off --reason TEXT [--organization ID] [--dry-run] [--json]

Switches the IP allow-list of an organization off, without asking its policies, after it locked out every user who could change it. Its blocks
stay, and set_ip_allowlist switches it on again. SQLite: stop the service first, except for a dry run. PostgreSQL: running services
follow immediately.

  --reason TEXT       why; kept in the database
  --organization ID   another organization than the root organization
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

HTML templates of sign-in mails. Requests name a template as emailCustomization.templateId. A request that names none gets the
newest template of its organization with the variable that it needs; remove it to return to the built-in design. Sub-organizations use the
templates of their parent. The plain text of a mail is always the built-in one.

The variables of a template are {{ .OtpCode }}, {{ .CredentialBundle }}, {{ .MagicLink }}, {{ .AppName }}, {{ .LogoUrl }} and
{{ index .TemplateVariables "key" }}. Double braces hold nothing else. Every value is escaped for HTML; put quotes around attributes.
A template needs {{ .OtpCode }} for one-time codes, {{ .CredentialBundle }} for email auth and recovery, or {{ .MagicLink }} for
requests with a magicLinkTemplate.

  --name NAME         the name of the template in lists
  --organization ID   another organization than the root organization
  --dry-run           check, and change nothing
  --json              the outcome as JSON

list and --dry-run may run beside the service. Otherwise, on SQLite, stop it first; on PostgreSQL, running services use the change
immediately.
Exit codes: 0 done, 1 not done, 2 wrong usage or a refused template.

Examples:
  ./countersign templates add sign-in.html --name "Sign-in code"
  ./countersign templates list --json
  ./countersign templates remove 0191f3c2-0000-7000-8000-000000000000 --dry-run
`;

export const OUTBOX_HELP = `Usage: countersign outbox list [--state dead|ready|expired] [--limit N] [--after MESSAGE_ID] [--json]
       countersign outbox retry MESSAGE_ID | --all [--dry-run] [--json]

Lists messages (mail and SMS) that were not sent. Without --state these are dead messages, which were refused or retried too often.
The contents of a message are never shown. The command retry makes dead messages ready again; a running service
sends them within seconds. An expired message, such as an old code, cannot be sent: its contents were deleted.

  --state STATE   dead, ready (waiting, or being sent) or expired
  --limit N       at most N messages: 50 unless given, up to 1000
  --after ID      messages after this one: the last of the previous page
  --all           every dead message
  --dry-run       show the messages that would be sent again, and change nothing
  --json          the outcome as JSON

list and --dry-run may run beside the service. Otherwise, on SQLite, stop it first; on PostgreSQL, services may run meanwhile.
Exit codes: 0 done, 1 not done, 2 wrong usage.

Examples:
  ./countersign outbox list
  ./countersign outbox list --state ready --limit 10 --json
  ./countersign outbox retry --all --dry-run
`;

export const ARCHIVE_HELP = `Usage: countersign archive --before DATE [--dry-run] [--json] [--compact] [--batch ROWS]

Moves activities that finished before DATE out of the database, each with its votes, audit rows and evaluations. Activities that wait
for approvals stay. An archived activity is still found by its id, and its body still gets the same answer. Lists leave it out.

  --before DATE   2025-01-31 (its first moment in UTC), or 2025-01-31T12:00:00Z; at least two days ago
  --dry-run       show what would be archived, and change nothing
  --json          the outcome as JSON
  --compact       SQLite: then return free space to the file system (needs up to twice the size of the database)
  --batch ROWS    activities moved in one transaction: 500 unless given

SQLite: stop the service first; the archive is DATA_DIR/archive.db. A dry run may run beside the service.
PostgreSQL: services may run meanwhile; the archive is in tables by month, such as archived_activities_2025_01.
An interrupted run loses nothing: run it again.

Exit codes: 0 done, 1 not or not completely done, 2 wrong usage.

Examples:
  ./countersign archive --before 2025-01-01 --dry-run
  ./countersign archive --before 2025-01-01 --compact
  ./countersign archive --before "$(date -u -d '90 days ago' +%F)" --json
`;

export const POLICY_HELP = `Usage: countersign policy check FILE... [--json] [--strict]
       countersign policy test FILE... [--json] [--strict]

  check   parses and type-checks policies and scopes. It warns of expressions that are never true, and of ways around policies and
          limits over time
  test    does the same, and decides every case of the file as the service would

It sends nothing and needs no service. A FILE is YAML or JSON. The exit code is 0 if all is right, 1 if a policy is wrong or a
case fails, and 2 if a file cannot be read. Warnings change it only with --strict.

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
