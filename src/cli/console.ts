import { UsageError } from './client.ts';
import { type EnrolLink, enrolLink, enrolPage } from './enrol-link.ts';
import { openInBrowser } from './open-in-browser.ts';
import { type ClientOptions, clientOf } from './operations.ts';
import type { Outcome } from './tell.ts';

type Options = ClientOptions & { open: boolean; json: boolean };

function noteOf({ activityId, isWaiting }: EnrolLink): string {
  if (!isWaiting) return 'The link works once, for 15 minutes: keep it secret.\n';
  return `The link works once activity ${activityId} is approved, and then for 15 minutes: keep it secret.\n`;
}

/** `countersign console`. */
export async function consoleCommand(rest: readonly string[], now: number, options: Options): Promise<Outcome> {
  if (rest.length > 0) throw new UsageError(`there is no "console ${rest[0]}": see countersign console --help`);
  const client = clientOf(options);
  const made = await enrolLink(client, enrolPage(client.baseUrl), now);
  if ('reply' in made) return made;
  const { link, ...about } = made;
  if (options.open) await openInBrowser(link);
  const shown = options.open ? about : made;
  if (options.json) return { text: `${JSON.stringify(shown, null, 2)}\n` };
  return { text: options.open ? 'Opened in the browser.\n' : `${link}\n`, note: noteOf(made) };
}
