const OPTIONS = `  --prune KINDS        also delete what no file has: policies, tags, controls, or several with commas between
  --credentials FILE   another file than DATA_DIR/root-credentials.json
  --profile NAME       the credentials of countersign profile add
  --url URL            another service than that of BASE_URL, PORT or the credentials file
  --organization ID    another organization: the credentials must be those of a user in it
  --json               the outcome as JSON`;

export const PLAN_HELP = `Usage: countersign plan DIR [--prune policies,tags,controls] [--json]

Compares the files of a folder with an organization: policies, tags, users and velocity controls. It shows the requests that
would change it, and whether the service would allow them. It replays each changed policy over the past. Nothing is changed.

Files end in .yaml, .yml or .json. Policies and tags are matched by their names, controls by their identifiers, users by their names.
Texts name things as {{user:Ann}}, {{tag:treasurer}} and {{wallet:Main}}. docs/policies-as-files.md has the format.

${OPTIONS}

Exit codes: 0 nothing to do, 1 something to do or not done, 2 wrong usage or files.

Examples:
  ./countersign plan policies/
  ./countersign plan policies/ --prune=policies --field digest
`;

export const APPLY_HELP = `Usage: countersign apply DIR [--yes | --digest DIGEST] [--wait] [--prune policies,tags,controls] [--json]

Makes an organization as the files of a folder say, by the requests that countersign plan shows. At no moment is anything allowed that
neither the old nor the new state allows. If it ends early, run it again. It deletes no user, and changes no credential, no root quorum and
not the user of the credentials.

Requests that need approvals end it with code 3, and it prints how to approve them. Run it again then.

  --yes                do not ask on the terminal
  --digest DIGEST      only if the plan is still this one; implies --yes
  --wait               wait up to an hour for approvals
${OPTIONS}

Exit codes: 0 done, 1 not completely done, 2 wrong usage or files, 3 waits for approvals.

Examples:
  ./countersign apply policies/
  ./countersign apply policies/ --digest "$(./countersign plan policies/ --field digest)"
`;
