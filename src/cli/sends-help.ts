export const SENDS_HELP = `Usage: countersign sends list [--state STATUS,…] [--caip2 NETWORK] [--from ADDRESS] [--activity ID] [--sponsored] [--limit N] [--after ID]
       countersign sends show SEND_ID [--wait]
       countersign sends cancel SEND_ID --reason TEXT [--dry-run] [--wait]
       countersign sends speed-up SEND_ID --reason TEXT [--max-fee WEI] [--max-priority-fee WEI] [--dry-run] [--wait]
       countersign sends release [--staging] [--limits always|all|none] [--dry-run] [--json]

Sends of the service, newest first. SEND_ID is a sendTransactionStatusId. The commands cancel and speed-up are activities: policies
decide about them as about any other, and they are recorded with their reason. The command cancel sends a transaction that does nothing,
with the nonce of the one that may be pending. It is too late if the first one is mined before. The command speed-up sends the same
transaction again with higher fees: the given fees, or else the current fees of the network.

  --state STATUS          INITIALIZED, BROADCASTING, INCLUDED or FAILED; several separated by commas
  --caip2 NETWORK         of this network, such as eip155:1
  --from ADDRESS          from this account
  --activity ID           of this activity
  --sponsored             only sponsored sends
  --limit N               at most N sends: 50 unless given, up to 100
  --after ID              sends older than this one: the last of the previous page
  --reason TEXT           the reason; it is recorded
  --max-fee WEI           the most that it may pay for a unit of gas
  --max-priority-fee WEI  the part of it that is a tip
  --dry-run               show the decision of the policies, or what a release would do, and change nothing
  --staging               for release: end all open sends and drop all messages
  --limits WHICH          for release: limits over time whose windows count as full: always, all or none
  --wait                  wait until it is mined or has failed
  --json                  as JSON
  --credentials FILE      another file than DATA_DIR/root-credentials.json, such as one of countersign keygen
  --url URL               another service than that of BASE_URL, PORT or the credentials file
  --organization ID       another organization, such as a sub-organization

The command release is the operator's, on the database with the service's settings. The service may run. The command ends the quarantine of an instance that was restored or copied. Stop the original before. The command asks each chain what became
of the sends that were open in the copy. A send whose nonce was used by an unknown transaction fails. So does one that was not signed yet,
if its account has transactions that are unknown here. If a chain cannot be asked, its sends stay in quarantine: run the command again.
Its exit code is 1 then. With --staging nothing is asked: open sends fail, and messages and webhooks that wait are dropped. Use that for a
copy for tests.

Limits over time lack what the original signed after the copy. So release asks whether the windows of limits that bind every signer
(ALWAYS) count as full until they have passed. Without a terminal they do. With --limits all those that policies read count as full too,
and with --limits none no window does. A limit without an end stays full: create another one with what is left.

Exit codes: 0 done, 1 the service refused (or, with --wait, the outcome was another), 2 wrong usage or no answer.

Examples:
  ./countersign sends list --state BROADCASTING
  ./countersign sends show 0191f3c2-…
  ./countersign sends cancel 0191f3c2-… --reason 'wrong recipient' --dry-run
  ./countersign sends speed-up 0191f3c2-… --reason 'the network is busy' --max-fee 40000000000 --wait
  ./countersign sends release --dry-run
  ./countersign sends release --limits all
`;
