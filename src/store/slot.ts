/** Stands for a parameter while a statement is compiled, and takes its value from the arguments when it runs. */
export class Slot {
  readonly of: (args: never) => unknown;
  constructor(of: (args: never) => unknown) {
    this.of = of;
  }
}

/** The members of the parameters as slots. */
export const slotsOf = <P extends object>(): P =>
  new Proxy({}, { get: (_, key) => new Slot((args: Record<PropertyKey, unknown>) => args[key]) }) as P;
