export const INSTANCE_HELP = `Usage: countersign instance adopt --reason TEXT [--staging] [--limits always|all|none] [--dry-run] [--json]

Takes this database as the instance's own. A service that finds a copied database sends nothing until then. The command is for moves on
purpose: pg_upgrade, blue/green, a moved folder. It is also for a cluster that was recovered to an earlier time, which the service cannot
see. Stop the original and all processes first. The command asks the chains about the open sends, as countersign sends release does (see
countersign sends --help). Then it ends the quarantine. New bodies must be of a later time than the next start.

  --reason TEXT  the reason; it is recorded
  --staging      ask no chain: end all open sends and drop all messages, for a copy for tests.
  --limits WHICH as for sends release: always, all or none
  --dry-run      show what would become of the open sends, and change nothing
  --json         as JSON

Exit codes: 0 done, 1 some sends are still in quarantine, or the command failed, 2 wrong usage.

Examples:
  ./countersign instance adopt --reason 'pg_upgrade to 18' --dry-run
  ./countersign instance adopt --reason 'a copy for the test site' --staging
`;
