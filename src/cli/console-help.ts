import { EXIT } from './client-help.ts';
import { CREDENTIALS } from './credentials-help.ts';

export const CONSOLE_HELP = `Usage: countersign console [--open] [--json] [options]
       countersign console verify URL [--json]
       countersign console serve --url URL

Prints a link to the console. It adds a passkey to the root user, or to the user of --credentials. The link works once, for 15 minutes.
Until then it is as good as a key of that user: give it to that person alone. If several root users must agree, the link works once they
approved the activity that is printed with it.

verify  compare the console that a host serves with that of this folder: its files, and the policy of its page. The exit code is 1 if one
        differs. Otherwise it prints where the page sends to, and the host’s logins: a provider, and an auth proxy
serve   serve the console of this folder at http://localhost:8089/console/, for the service at URL. It needs a key file there, or a
        passkey of localhost

  --open   open the link in the browser of this machine, and do not print it
  --json   print the link, the ids of organization, user and activity, and whether it waits, as JSON
${CREDENTIALS}
${EXIT}

Examples:
  ./countersign console
  ./countersign console --open
  ./countersign console verify https://sign.example.com
  ./countersign console serve --url https://sign.example.com
  ./countersign console --credentials alice.credentials.json --url https://sign.example.com
`;
