import { CommandFailed } from '../base/command-failed.ts';
import { UUID } from '../base/ids.ts';
import { systemRandom } from '../base/random.ts';
import { ConfigError } from '../config.ts';
import { unlocked } from '../operator/custody/shares/unlock.ts';
import { exportInstance } from '../operator/record/export-instance.ts';
import { reasonOf } from './backup.ts';
import { asJson, stoppable } from './backup-told.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';
import { shareInput } from './share-input.ts';

type Values = { organization?: string | undefined; credentials?: string | undefined; url?: string | undefined; json: boolean };

const PROGRESS_MS = 1_000;

/** The operator's export, on the database. */
export async function exportInstanceCommand(
  now: () => number,
  file: string,
  since: number | undefined,
  { organization, credentials, url, json }: Values,
): Promise<{ text: string }> {
  if (credentials !== undefined || url !== undefined)
    throw new UsageError('--instance reads the database of the service’s settings: leave out --credentials and --url');
  if (organization !== undefined && !UUID.test(organization)) throw new UsageError('--organization must be a UUID');
  const wish = { file, since, organizationId: organization?.toLowerCase() };
  let at = now();
  const told = (activities: number) => {
    if (now() - at < PROGRESS_MS) return;
    at = now();
    process.stderr.write(`exporting: ${activities} activities\n`);
  };
  try {
    const config = await unlocked(configOf(), shareInput());
    const done = await stoppable((stopped) => exportInstance(config, wish, { now, random: systemRandom, stopped, told }));
    const { activities, sha256 } = done;
    return { text: json ? asJson(done) : `${file} has ${activities} activities (SHA-256 of its lines: ${sha256})\n` };
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UsageError) throw error;
    throw new CommandFailed(`the export did not end: ${reasonOf(error)}. Run the command again with the same file to go on`);
  }
}
