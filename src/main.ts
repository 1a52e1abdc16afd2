import { type App, createApp } from './app.ts';
import { type Config, ConfigError, readConfig, withoutSecrets } from './config.ts';
import { credentialsFile } from './first-start.ts';

const NODE = [22, 18] as const;

function welcome(config: Config, app: App, address: string): string {
  return [
    '',
    `  Countersign runs on ${address}`,
    '',
    `  organization  ${app.first.organizationId}`,
    `  key file      ${credentialsFile(config)}`,
    `  operations    ${address}/docs`,
    `  readiness     ${address}/ready`,
    '',
    '  Try a first request, from another terminal:',
    '',
    `    DATA_DIR='${config.dataDir}' ./countersign query whoami`,
    '',
    '',
  ].join('\n');
}

/** Starts the service and stops it on SIGTERM or SIGINT after what is in flight was answered. */
export async function main(): Promise<void> {
  process.umask(0o077);
  const config = readConfig();
  const app = await createApp(config);
  const address = await app.http.listen({ host: config.host, port: config.port });
  app.log.info({ address, config: withoutSecrets(config), created: app.first.created }, 'listening');
  process.stdout.write(welcome(config, app, config.port === 0 ? address : config.baseUrl));
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    app.log.info({ signal }, 'stopping');
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`stopping failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
if (major < NODE[0] || (major === NODE[0] && minor < NODE[1])) {
  process.stderr.write(
    `Countersign needs Node.js ${NODE.join('.')} or newer, and this is ${process.version}: start it with npm start, which fetches one.\n`,
  );
  process.exit(1);
}

main().catch((error: unknown) => {
  process.stderr.write(
    error instanceof ConfigError ? `configuration: ${error.message}\n` : `could not start: ${(error as Error).message}\n`,
  );
  process.exit(1);
});
