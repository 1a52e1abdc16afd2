/** Stands for a parameter while a statement is compiled, and takes its value from the arguments when it runs. */
export class Slot {
  /** The member of the arguments that it is. */
  readonly key: string;
  /** For what no member is: computes it from the arguments. */
  readonly of: ((args: never) => unknown) | undefined;
  constructor(key: string, of?: (args: never) => unknown) {
    this.key = key;
    this.of = of;
  }
}

/** The members of the parameters as slots. */
export const slotsOf = <P extends object>(): P => new Proxy({}, { get: (_, key) => new Slot(String(key)) }) as P;
