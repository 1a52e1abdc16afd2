export const ACTIVITIES_HELP = `Usage: countersign activities watch [--type TYPE] [--status STATUS] [--sub-organizations] [--limit N] [--json]

Prints a line for each activity of the organization when its status changes. It has the time, the status, the type, the activity's id
and the user who sent it. A connection that ends is made again, and what happened meanwhile follows. Ctrl-C ends it.

  --type TYPE          only this type, such as ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2; the prefix may be left out
  --status STATUS      only this status, such as ACTIVITY_STATUS_CONSENSUS_NEEDED; the prefix may be left out
  --sub-organizations  those of the sub-organizations too
  --limit N            end after N activities
  --json               each activity as one line of JSON
  --credentials FILE   another file than DATA_DIR/root-credentials.json, such as one of countersign keygen
  --url URL            another service than that of BASE_URL, PORT or the credentials file
  --organization ID    another organization, such as a sub-organization

Exit codes: 0 ended by Ctrl-C or --limit, 1 refused by the service, 2 wrong usage or no answer.

Examples:
  ./countersign activities watch
  ./countersign activities watch --status CONSENSUS_NEEDED --json
  ./countersign activities watch --type SIGN_RAW_PAYLOAD_V2 --sub-organizations
`;
