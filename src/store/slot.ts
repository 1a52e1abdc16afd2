/** A placeholder for a parameter at compile time. Its value comes from the arguments at run time. */
export class Slot {
  /** The member of the arguments. */
  readonly key: string;
  /** Computes the value from the arguments, if no member contains it. */
  readonly of: ((args: never) => unknown) | undefined;
  constructor(key: string, of?: (args: never) => unknown) {
    this.key = key;
    this.of = of;
  }
}

/** The members of the parameters as slots. */
export const slotsOf = <P extends object>(): P => new Proxy({}, { get: (_, key) => new Slot(String(key)) }) as P;
