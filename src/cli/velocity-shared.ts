import type { Reply } from './client.ts';
import type { ClientOptions } from './operations.ts';

export type VelocityOptions = ClientOptions & {
  limit?: string | undefined;
  after?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
  reason?: string | undefined;
  json: boolean;
};

/** The text to print, or the service's refusal. */
export type Told = { text: string; code: number } | { reply: Reply };

export type WireTime = { seconds: string; nanos: string };

export const timeOf = ({ seconds, nanos }: WireTime): string =>
  new Date(Number(seconds) * 1000 + Number(nanos) / 1e6).toISOString();
