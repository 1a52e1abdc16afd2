export const QUOTA_HELP = `Usage: countersign quota set --organization ID --signatures N --per month [--dry-run] [--json]
       countersign quota show [--organization ID] [--limit N] [--after ID] [--json]
       countersign quota clear --organization ID [--dry-run] [--json]

Limits how many signatures an organization makes in each month of UTC. The quota of a top-level organization is also for its
sub-organizations; a sub-organization may have one of its own. An organization over its quota gets SIGNING_QUOTA_EXCEEDED (429) until the
month ends or the quota is raised. Signatures are counted some seconds later, so an organization may pass its quota by those.
SQLite: stop the service first, except for show and a dry run. PostgreSQL: running services follow immediately.

  --organization ID   the organization
  --signatures N      how many signatures: 0 to 1000000000000
  --per month         the only period
  --limit N           at most N quotas: 50 unless given, up to 1000
  --after ID          quotas behind this organization: the last of the previous page
  --dry-run           show the outcome, and change nothing
  --json              the outcome as JSON

Exit codes: 0 done or nothing to do, 1 not done, 2 wrong usage.

Examples:
  ./countersign quota set --organization 0191f3c2-… --signatures 10000 --per month
  ./countersign quota show
  ./countersign quota clear --organization 0191f3c2-… --dry-run
`;
