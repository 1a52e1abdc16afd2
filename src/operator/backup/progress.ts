/** Receives what a copy has reached. `stopped`: its user wants to end it. */
export type Progress = {
  readonly stopped: AbortSignal;
  row(table: string): void;
  /** Receives the length of the next part of the copy’s text. */
  bytes(count: number): void;
};
