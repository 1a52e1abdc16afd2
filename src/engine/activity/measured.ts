import type { ApiError } from '../../base/errors.ts';
import type { Spend } from '../../model/velocity-spend.ts';

/** `binds`: whatever policies say. `controls`: what policies read when this refusal, and all before it, have ended. */
export type VelocityDenial = { error(): ApiError; binds: boolean; controls(): Measured['controls'] };

/** What an activity adds to the velocity controls that cover it, by the counters of this moment. */
export type Measured = {
  /** Where the activity runs. Only its own policies read its controls. */
  readonly organizationId: string;
  /** What policies read as `controls`: the truth of a control, or why it cannot be told. The others do not cover the activity. */
  readonly controls: ReadonlyMap<string, boolean | string>;
  /** The same where no limit is reached, and everything can be read. */
  readonly unhindered: ReadonlyMap<string, boolean | string>;
  /** Why no signer may run the activity, whatever policies say. */
  refusal(): ApiError | undefined;
  /** Why a decision that rests on these controls, or one that binds, denies it. The refusal that ends last is at the end. `read`: identifiers. */
  denials(read: readonly string[]): readonly VelocityDenial[];
  /** What the record counts. `read`: identifiers of the controls that the decision rests on. */
  spends(read: readonly string[]): readonly Spend[];
};
