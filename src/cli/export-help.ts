export const EXPORT_HELP = `Usage: countersign export --out FILE [--since TIME] [--json] [--credentials FILE] [--url URL] [--organization ID]
       countersign export --instance --out FILE [--since TIME] [--organization ID] [--json]

Writes the activities of one organization as JSON lines: bodies, votes with their stamps, results, and what policies said. It asks the
running service by stamped queries, so it needs a credential that may read the organization. Countersign verify checks the file offline.

Oldest first. An activity of the last minute is left to the next run. Run the command again with the same FILE to go on: after an
interruption, or to add what is new. An activity that waited is in the file as it was then. Archived activities are left out. So are the
bodies of requests with secrets: the line shows the rest, and their stamps cannot be checked.

With --instance it is the operator's. It reads the database beside a running service, and writes the activities of all organizations.
It needs the service's settings and the root key, and no credential. An activity that changed comes again, with another "id".

  --out FILE    the file to write, for this user only
  --instance    all organizations, from the database; with --organization only that one
  --since TIME  leave out activities of before this day or time
  --json        the outcome as JSON

Exit codes: 0 done, 1 not done, 2 wrong usage.

Examples:
  ./countersign export --out record.jsonl
  ./countersign export --instance --out instance.jsonl
  ./countersign export --out january.jsonl --since 2026-01-01 --organization 5c1c7d1e-0b5a-4a57-9a4e-0e6f0d9c4b1a
`;

export const VERIFY_HELP = `Usage: countersign verify FILE [--json]

Checks an export offline, line by line, and needs no service and no settings. Of each activity:
- the fingerprint is that of the body, and the shown request is that of the body
- each stamp holds over the body, or over an approval that names the fingerprint
- the key of each stamp is among the voter's credentials of that time, as the line shows them
- no line was added, removed, changed or moved since the export

It does not prove that the export had every activity, or that results, statuses and the listed credentials are right. For these the
service is trusted. It also accepts a file that a forger made with keys of their own. Compare the public keys with those that you know,
and keep the SHA-256 of the last line elsewhere.

  --json  one JSON object for each line, and a summary

Exit codes: 0 all lines are right, 1 some are not, or the end is missing, 2 wrong usage.

Examples:
  ./countersign verify record.jsonl
  ./countersign verify record.jsonl --json | tail -1
`;
