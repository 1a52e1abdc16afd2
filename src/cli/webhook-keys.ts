import { unlocked } from '../operator/custody/shares/unlock.ts';
import { type Rotation, rotateWebhookKey } from '../operator/webhook-keys.ts';
import { configOf } from './config.ts';
import { shareInput } from './share-input.ts';

type Options = { 'dry-run': boolean; json: boolean };

function text({ kid, before, signsFrom, publishedUntil, changed }: Rotation): string {
  const old =
    before === null ? 'There was no key before.' : `Key ${before} signs until then. It is published until ${publishedUntil}.`;
  const done = changed
    ? `Key ${kid} was made. It signs from ${signsFrom}.`
    : `A new key would sign from ${signsFrom}. Nothing was changed.`;
  return `${done}\n${old}\n`;
}

/** `countersign webhooks rotate-key`: the text to print. */
export async function webhookKeysCommand(now: number, options: Options): Promise<string> {
  const done = await rotateWebhookKey(
    options['dry-run'] ? configOf() : await unlocked(configOf(), shareInput()),
    now,
    options['dry-run'],
  );
  return options.json ? `${JSON.stringify(done, null, 2)}\n` : text(done);
}
