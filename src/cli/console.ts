import { CommandFailed } from '../base/command-failed.ts';
import { consoleUrl } from '../config.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';
import { asked, isOwn, LOOPBACK } from './console-verify.ts';
import { type EnrolLink, enrolLink, enrolPage } from './enrol-link.ts';
import { openInBrowser } from './open-in-browser.ts';
import { type ClientOptions, clientOf } from './operations.ts';
import { printable } from './printable.ts';
import type { Outcome } from './tell.ts';

type Options = ClientOptions & { open: boolean; json: boolean };

function noteOf({ activityId, isWaiting }: EnrolLink): string {
  if (!isWaiting) return 'The link works once, for 15 minutes: keep it secret.\n';
  return `The link works once activity ${activityId} is approved, and then for 15 minutes: keep it secret.\n`;
}

const HERE = '/console/';

/** The link holds a key: its page must have the host of the service, or one below it. */
function isOfService(page: string, service: string): boolean {
  if (!URL.canParse(page)) return false;
  const [at, of] = [new URL(page), new URL(service)];
  return page === at.origin + HERE && isOwn(at, of) && (LOOPBACK.includes(of.hostname) || !LOOPBACK.includes(at.hostname));
}

/** The console of a service elsewhere, where its first page leads. */
async function consoleElsewhere(baseUrl: string): Promise<string> {
  const { status, headers, body } = await asked(`${baseUrl}/`, 'manual');
  await body?.cancel();
  const location = headers.get('location');
  if (status !== 302 || location === null)
    throw new CommandFailed(`${baseUrl} leads to no console: its setting CONSOLE is off, or its version has none`);
  if (location === HERE) return baseUrl + HERE;
  if (isOfService(location, baseUrl)) return location;
  throw new CommandFailed(
    `${baseUrl} leads to ${printable(location)}, which is no console of that host: give --url the address that browsers use`,
  );
}

/** The console of a service: the settings here may name another address of their own service. */
async function consoleOf(baseUrl: string): Promise<string> {
  const config = configOf();
  if (baseUrl !== config.baseUrl) return consoleElsewhere(baseUrl);
  if (!config.console.isOn) throw new CommandFailed('the console is off: CONSOLE is off in the settings');
  return consoleUrl(config);
}

/** `countersign console`. */
export async function consoleCommand(rest: readonly string[], now: number, options: Options): Promise<Outcome> {
  if (rest.length > 0) throw new UsageError(`there is no "console ${rest[0]}": see countersign console --help`);
  const client = clientOf(options);
  const made = await enrolLink(client, enrolPage(await consoleOf(client.baseUrl)), now);
  if ('reply' in made) return made;
  const { link, ...about } = made;
  if (options.open) await openInBrowser(link);
  const shown = options.open ? about : made;
  if (options.json) return { text: `${JSON.stringify(shown, null, 2)}\n` };
  return { text: options.open ? 'Opened in the browser.\n' : `${link}\n`, note: noteOf(made) };
}
