import type { Executable } from './executable.ts';
import type { Limits, OnLine } from './types.ts';

export interface AppSpec {
  readonly executable: Executable;
  readonly args: readonly string[];
  /** All variables of the app, except PWD, which bubblewrap always sets. */
  readonly environment: Readonly<Record<string, string>>;
  /** The app reads it from the open file `KEY_FD`. */
  readonly key: Uint8Array;
  readonly limits: Limits;
  /** The ports of the app's loopback that have a socket outside. */
  readonly ports: readonly number[];
  /** The app's only way out: a port of its loopback, and the Unix socket behind it. `forwarderUid` must be able to connect to it. */
  readonly egress?: { readonly port: number; readonly socket: string };
  readonly onLine: OnLine;
}
