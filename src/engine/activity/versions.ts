import type { z } from 'zod';

type VersionStep = { version: number; schema: z.ZodType; up: (older: never) => unknown };

/** The published versions of one kind's parameters, oldest first, and how each is converted to the next. */
export type Versions<Intent> = {
  readonly numbers: readonly number[];
  schema(version: number): z.ZodType;
  /** Raises `shown`, parameters as sent in this version, to the newest version. */
  raise(version: number, shown: unknown): Intent;
};

/** Append-only: a step never changes once published, and never refuses what its version accepted. */
export type Chain<Newest> = Versions<Newest> & {
  to<S extends z.ZodType>(version: number, schema: S, up: (older: Newest) => z.output<S>): Chain<z.output<S>>;
  /** For a version that dropped a meaning. Name the meaning at the call. The logic then receives `Intent`. */
  toBreak<S extends z.ZodType, Intent extends z.output<S>>(
    version: number,
    schema: S,
    up: (older: Newest) => Intent,
  ): Chain<Intent>;
};

function chain<Newest>(steps: readonly VersionStep[]): Chain<Newest> {
  const find = (version: number): number => {
    const at = steps.findIndex((step) => step.version === version);
    if (at < 0) throw new Error(`no version ${version}`);
    return at;
  };
  const append = (version: number, schema: z.ZodType, up: unknown) =>
    chain([...steps, { version, schema, up: up as VersionStep['up'] }]) as Chain<never>;
  return {
    numbers: steps.map((step) => step.version),
    schema: (version) => steps[find(version)]!.schema,
    raise(version, shown) {
      let value = shown;
      for (const step of steps.slice(find(version) + 1)) value = step.up(value as never);
      return value as Newest;
    },
    to: append as Chain<Newest>['to'],
    toBreak: append as Chain<Newest>['toBreak'],
  };
}

/** The oldest version that we serve. */
export function since<S extends z.ZodType>(version: number, schema: S): Chain<z.output<S>> {
  return chain([{ version, schema, up: (older) => older }]);
}

export function v1<S extends z.ZodType>(schema: S): Chain<z.output<S>> {
  return since(1, schema);
}
