/** What the forwarder's process is told. */
export interface ForwarderSettings {
  /** The folder of the Unix sockets. */
  readonly folder: string;
  /** The app's ports. The socket of each is named after it. */
  readonly ports: readonly number[];
  /** The app's only way out: its loopback's port leads to a Unix socket outside. */
  readonly egress: { readonly port: number; readonly socket: string } | undefined;
  /** The user that the forwarder becomes once it listens. */
  readonly uid: number;
  /** For tests. */
  readonly idleMs?: number;
}
