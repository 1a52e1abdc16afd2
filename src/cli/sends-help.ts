export const SENDS_HELP = `Usage: countersign sends list [--state STATUS,…] [--caip2 NETWORK] [--from ADDRESS] [--activity ID] [--sponsored] [--limit N] [--after ID]
       countersign sends show SEND_ID [--wait]
       countersign sends cancel SEND_ID --reason TEXT [--dry-run] [--wait]
       countersign sends speed-up SEND_ID --reason TEXT [--max-fee WEI] [--max-priority-fee WEI] [--dry-run] [--wait]

Transactions that the service sends, the newest first. SEND_ID is a sendTransactionStatusId. cancel and speed-up are activities:
policies decide about them as about any other, and they are recorded with their reason. cancel gives the nonce of a transaction that may
be on its way to one that does nothing; it comes too late if the first one is in a block before. speed-up sends the same
transaction again with higher fees: those that are given, or else what the network asks now.

  --state STATUS          INITIALIZED, BROADCASTING, INCLUDED or FAILED; several with commas between
  --caip2 NETWORK         of this network, such as eip155:1
  --from ADDRESS          from this account
  --activity ID           of this activity
  --sponsored             only those that somebody else pays for
  --limit N               at most so many, 50 unless given, up to 100
  --after ID              older ones than this send: the last one of the page before
  --reason TEXT           why; it is recorded
  --max-fee WEI           what it may pay for each gas
  --max-priority-fee WEI  how much of that is a tip
  --dry-run               only say what policies would decide
  --wait                  wait until it is in a block or failed
  --json                  as JSON
  --credentials FILE      another file than DATA_DIR/root-credentials.json, such as one of countersign keygen
  --url URL               another service than the one that BASE_URL or PORT names, or else that file
  --organization ID       another organization, such as a sub-organization

Exit codes: 0 done, 1 the service refused (or, with --wait, it came out otherwise), 2 wrong usage or no answer.

Examples:
  ./countersign sends list --state BROADCASTING
  ./countersign sends show 0191f3c2-…
  ./countersign sends cancel 0191f3c2-… --reason 'wrong recipient' --dry-run
  ./countersign sends speed-up 0191f3c2-… --reason 'the network is busy' --max-fee 40000000000 --wait
`;
