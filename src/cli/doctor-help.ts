export const DOCTOR_HELP = `Usage: countersign doctor [--json]

Examines this instance, and says how to mend what it finds. It changes nothing and sends nothing.
Run it with the service's settings, whether the service runs or not.

  --json   findings as JSON: { "findings": [{ "check", "level", "text", "mend" }], "level" }

It checks the runtime, settings, disk, file permissions, clocks, the database with its durability, and the root key.
It looks for messages and sends that wait, root users without credentials, and IP lists that are not in force.
It counts passkeys of other domains, and it asks the RPC endpoints and the mail server. It compares counters of limits over time.
It looks at the last copy, at the shipping of the record, and for the package of traces.

Exit codes: 0 all is well, 1 a problem, 2 wrong usage, 3 warnings only.

Examples:
  ./countersign doctor
  ./countersign doctor --json | jq '.findings[] | select(.level != "ok")'
`;
