export const APPROVALS_HELP = `Usage: countersign approvals list [--limit N] [--json]
       countersign approvals show ACTIVITY_ID [--json]
       countersign approvals approve ACTIVITY_ID [--yes] [--unread] [--dry-run] [--json]
       countersign approvals reject ACTIVITY_ID [--yes] [--dry-run] [--json]

A second screen for approvals. This program reads the signed body of the activity by itself, and computes its fingerprint. It shows what
would be signed, with all calls inside, and what is dangerous about it. It compares the body with what the service says, and checks the
stamps of the votes. Names and what holds now come from the service, and are marked so. docs/approving.md has the details.

The command approve stamps exactly the fingerprint that was computed here. It refuses if the service says anything else than the body. It
also refuses a body that cannot be read here, unless --unread is given. Without a terminal, approve and reject need --yes.

  --limit N            at most N activities: 50 unless given, up to 1000
  --yes                do not ask on the terminal
  --unread             approve also what cannot be read here
  --dry-run            show and check everything, and send nothing
  --json               as JSON
  --credentials FILE   another file than DATA_DIR/root-credentials.json, such as one of countersign keygen
  --url URL            another service than that of BASE_URL, PORT or the credentials file
  --organization ID    another organization, such as a sub-organization

Exit codes: 0 done; 1 refused here or by the service, or show has found a difference; 2 wrong usage or no answer.

Examples:
  ./countersign approvals list
  ./countersign approvals show 0191f3c2-…
  ./countersign approvals approve 0191f3c2-… --credentials treasurer-2.json
  ./countersign approvals reject 0191f3c2-… --yes
`;
