export const WEBHOOKS_HELP = `Usage: countersign webhooks list
       countersign webhooks deliveries [--endpoint ID] [--state STATUS] [--limit N] [--after ID]
       countersign webhooks resend DELIVERY_ID...
       countersign webhooks test ENDPOINT_ID [--wait]
       countersign webhooks rotate-key [--dry-run]

Webhook endpoints of an organization, and the deliveries to them, newest first. The commands resend and test are activities: policies
decide about them as about any other. The command resend sends ended deliveries again, all or none. Events keep their ids and
bytes. They may arrive after later events of their subject. The command test sends an event of type COUNTERSIGN_TEST to one
endpoint, whatever its subscriptions.

The command rotate-key is the operator's, over the database. It replaces the key that signs webhooks. The new key is published at once
and signs ten minutes later, so that receivers can read it first. The old key stays published for 7 days. SQLite: stop the service first,
except for a dry run. PostgreSQL: running services follow within ten minutes.

  --endpoint ID       only deliveries to this endpoint
  --state STATUS      PENDING, DELIVERED or DEAD, which is given up
  --limit N           at most N deliveries: 50 unless given, up to 100
  --after ID          deliveries older than this one: the last of the previous page
  --wait              wait until the test was delivered or failed once, at most a minute
  --dry-run           show the outcome of rotate-key, and change nothing
  --json              as JSON
  --credentials FILE  another file than DATA_DIR/root-credentials.json, such as one of countersign keygen
  --url URL           another service than that of BASE_URL, PORT or the credentials file
  --organization ID   another organization, such as a sub-organization

Exit codes: 0 done, 1 refused by the service or (--wait) by the endpoint, 2 wrong usage or no answer.

Examples:
  ./countersign webhooks deliveries --state DEAD
  ./countersign webhooks resend 0191f3c2-…
  ./countersign webhooks test 0191f3c2-… --wait
  ./countersign webhooks rotate-key --dry-run
`;
