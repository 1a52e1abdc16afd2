import { EXIT } from './client-help.ts';
import { CREDENTIALS } from './credentials-help.ts';

export const CONSOLE_HELP = `Usage: countersign console [--open] [--json] [options]

Prints a link to the console. It adds a passkey to the root user, or to the user of --credentials. The link works once, for 15 minutes.
Until then it is as good as a key of that user: give it to that person alone. If several root users must agree, the link works once they
approved the activity that is printed with it.

  --open   open the link in the browser of this machine, and do not print it
  --json   print the link, the ids of organization, user and activity, and whether it waits, as JSON
${CREDENTIALS}
${EXIT}

Examples:
  ./countersign console
  ./countersign console --open
  ./countersign console --credentials alice.credentials.json --url https://sign.example.com
`;
