export const RECOVER_ROOT_HELP = `Usage: countersign recover-root --organization ID --user ID --public-key HEX --reason TEXT
                               [--remove-mfa-policy ID]... [--dry-run] [--json]
       countersign recover-root list [--json]
       countersign recover-root cancel --organization ID --reason TEXT [--dry-run] [--json]
       countersign recover-root allow --reason TEXT [--dry-run] [--json]

Adds an API key to a root user who lost every credential. It needs the root key and the database. With
ROOT_KEY_PROVIDER=shares it asks for shares, also in a dry run. The service mails the root users of the organization. The key works
OPERATOR_RECOVERY_DELAY hours after that (24 unless set), once the service has added it. Until then, any request that a root user of the
organization stamps ends it. MFA policies of the user stay, unless they are named.

  list     pending recoveries; the root key is not needed
  cancel   end a pending recovery; the root key is not needed
  allow    switch recovery on again after OPERATOR_RECOVERY=off, or in a database from before this command

SQLite: stop the service first, except for list and a dry run. Then start it: it tells the root users. PostgreSQL: running services follow
within seconds.

  --organization ID        the organization, or sub-organization
  --user ID                a root user of it
  --public-key HEX         a new P-256 public key, compressed: "countersign keygen NAME" makes one, which its user keeps
  --reason TEXT            why; the root users read it
  --remove-mfa-policy ID   also remove this MFA policy of the user; may be repeated
  --dry-run                check everything, show the outcome, and change nothing
  --json                   the outcome as JSON

Exit codes: 0 done or nothing to do, 1 not done, 2 wrong usage.

Examples:
  ./countersign recover-root --organization 0191f3c2-… --user 0191f3c2-… --public-key 02ab… --reason "lost laptop" --dry-run
  ./countersign recover-root list
  ./countersign recover-root cancel --organization 0191f3c2-… --reason "the laptop was found"
`;
