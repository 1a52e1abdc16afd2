import { readFileSync } from 'node:fs';
import { nearest } from '../base/nearest.ts';
import { interfacePaths } from '../model/interface-names.ts';
import { addressOf, post, type Reply, readCredentials, UsageError } from './client.ts';
import { configOf } from './config.ts';
import { givenParameters } from './given.ts';

export type ClientOptions = {
  credentials?: string | undefined;
  profile?: string | undefined;
  url?: string | undefined;
  organization?: string | undefined;
  type?: string | undefined;
};

export function clientOf({ url, organization, ...from }: ClientOptions) {
  const config = configOf();
  // An address in the environment overrides the one in the credentials file.
  const set = config.addressIsSet ? config.baseUrl : undefined;
  const asked = addressOf(url) ?? set;
  const credentials = readCredentials(config, from);
  const { organizationId = organization, baseUrl = asked } = credentials;
  if (organizationId === undefined) throw new UsageError('the credentials name no organization: add --organization ID');
  if (baseUrl === undefined) throw new UsageError('the credentials name no address of the service: add --url URL');
  return { ...credentials, baseUrl: asked ?? baseUrl, organizationId: organization ?? organizationId };
}

/** As `npm run generate` writes it: importing all operations takes a second. `types`: the newest is last. */
type Operations = {
  submit: Readonly<Record<string, { path: string; types: string[] }>>;
  query: Readonly<Record<string, { path: string }>>;
};

const operations = JSON.parse(readFileSync(new URL('../../openapi/operations.json', import.meta.url), 'utf8')) as Operations;

function named<T>(all: Readonly<Record<string, T>>, command: 'submit' | 'query', name: string | undefined): T {
  if (name === undefined || !Object.hasOwn(all, name)) throw unknown(command, name);
  return all[name]!;
}

/** Explains that an operation does not exist, and suggests the closest one. */
function unknown(command: 'submit' | 'query', name: string | undefined): UsageError {
  const names = { submit: Object.keys(operations.submit), query: Object.keys(operations.query) };
  const what = command === 'submit' ? 'activity' : 'query';
  const all = names[command].join(', ');
  if (name === undefined) return new UsageError(`name ${command === 'submit' ? 'an activity' : 'a query'}: ${all}`);
  const other = command === 'submit' ? 'query' : 'submit';
  if (names[other].includes(name)) return new UsageError(`"${name}" is no ${what}: did you mean countersign ${other} ${name}?`);
  if (interfacePaths.some((path) => path.endsWith(`/${name}`)))
    return new UsageError(
      `"${name}" is an operation of the published interface that this version does not serve; it serves ${all}`,
    );
  const meant = nearest(name, names[command]);
  return new UsageError(`there is no ${what} "${name}": ${meant === undefined ? `there are ${all}` : `did you mean ${meant}?`}`);
}

export const operationNames = (command: 'submit' | 'query'): string[] => Object.keys(operations[command]);

/** Throws UsageError for an operation that does not exist. */
export const requireOperation = (command: 'submit' | 'query', name: string): void => {
  named<unknown>(operations[command], command, name);
};

/** The newest type of an activity. */
export const newestType = (operation: string): string => named(operations.submit, 'submit', operation).types.at(-1)!;

/** Submits an activity of any kind, in its newest version unless `--type` names another. */
export async function submit(
  operation: string | undefined,
  parameters: string | undefined,
  now: number,
  options: ClientOptions,
): Promise<Reply> {
  const { path, types } = named(operations.submit, 'submit', operation);
  const type = options.type ?? types.at(-1)!;
  if (!types.includes(type)) throw new UsageError(`--type must be ${types.join(' or ')}`);
  const given = await givenParameters(parameters);
  const client = clientOf(options);
  const body = { type, timestampMs: String(now), organizationId: client.organizationId, parameters: given };
  return post(client, path, JSON.stringify(body));
}

export async function query(
  operation: string | undefined,
  parameters: string | undefined,
  options: ClientOptions,
): Promise<Reply> {
  const { path } = named(operations.query, 'query', operation);
  const given = await givenParameters(parameters);
  const client = clientOf(options);
  return post(client, path, JSON.stringify({ organizationId: client.organizationId, ...given }));
}
