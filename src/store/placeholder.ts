/** A placeholder for a parameter at compile time. Its value comes from the arguments at run time. */
export class Placeholder {
  /** The member of the arguments that holds the value. */
  readonly key: string;
  /** Computes the value from the arguments, if no member holds it. */
  readonly of: ((args: never) => unknown) | undefined;
  constructor(key: string, of?: (args: never) => unknown) {
    this.key = key;
    this.of = of;
  }
}

/** The members of the parameters as slots. */
export const placeholdersOf = <P extends object>(): P => new Proxy({}, { get: (_, key) => new Placeholder(String(key)) }) as P;
