/** What an app may use at most. */
export interface Limits {
  /** Memory of all processes of the app with its files in /tmp, beside the executable's own size. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Processors, such as 0.5. */
  readonly cpus: number;
  /** The size of /tmp. It counts as memory too. */
  readonly tmpBytes: number;
}

/** The log streams of an app. */
export type Stream = 'stdout' | 'stderr';

export type OnLine = (stream: Stream, line: string) => void;

export type EndingReason = 'not-started' | 'exited' | 'signaled' | 'memory-limit' | 'process-limit' | 'stopped';

/** Why an app ended. */
export interface Ending {
  readonly reason: EndingReason;
  /** For the app's owner. */
  readonly text: string;
  readonly exitCode?: number;
  readonly signal?: number;
  /** Processes that the kernel killed at the memory limit. */
  readonly oomKills: number;
  /** Forks that the kernel refused at the process limit. */
  readonly refusedForks: number;
}

/** The app does not start. The message says why, and what the operator can do. */
export class SandboxRefused extends Error {
  override readonly name = 'SandboxRefused';
}
