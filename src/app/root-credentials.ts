import { join } from 'node:path';
import type { Config } from '../config.ts';

/** The content of `root-credentials.json`, with which the operator's first client authenticates. */
export type RootCredentials = {
  baseUrl: string;
  organizationId: string;
  userId: string;
  apiPublicKey: string;
  apiPrivateKey: string;
};

const FIELDS = ['baseUrl', 'organizationId', 'userId', 'apiPublicKey', 'apiPrivateKey'] as const;

/** Parses the key file. Error messages never quote the text: it contains a private key. */
export function parseCredentials(
  text: string,
  path: string,
  fields: readonly (keyof RootCredentials)[] = FIELDS,
): RootCredentials {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${path} is not valid JSON: restore it from your backup, or name another file`);
  }
  const missing = fields.find((field) => typeof (value as Record<string, unknown> | null)?.[field] !== 'string');
  if (missing !== undefined) throw new Error(`${path} has no ${missing}: restore it from your backup, or name another file`);
  return value as RootCredentials;
}

/** Where the first start writes that file. */
export function credentialsFile(config: Config): string {
  return join(config.dataDir, 'root-credentials.json');
}
