/** The policy language and the decision. See docs/policy-language.md. */

export {
  type CompiledExpression,
  type CompiledPolicy,
  compileCondition,
  compilePolicy,
  type Effect,
  type NamedControl,
  type PolicySource,
} from './decide/compile.ts';
export {
  type DecisionInput,
  decide,
  decideFew,
  decideInSlices,
  type Outcome,
  type PolicyDecision,
  type QualificationInput,
  qualifiesToVote,
  shareBudget,
  withoutPolicies,
} from './decide/decide.ts';
export {
  amendIndex,
  buildIndex,
  candidates,
  type IndexedPolicy,
  indexNaming,
  type NamedPolicy,
  type PolicyIndex,
  policyIn,
} from './decide/policy-index.ts';
export { type EvaluationFailure, type FailureCode, openRequest, type Request, type Roots } from './evaluate/context.ts';
export { type ExplainedClause, type Explanation, explain, type SeenValue, shownValue } from './evaluate/explain.ts';
export {
  contributes,
  openClock,
  type PolicyEvaluation,
  type PolicyOutcome,
  saysAbsent,
  takesPart,
  type Voter,
} from './evaluate/outcome.ts';
export { type ShownRoot, shownRoots } from './evaluate/shown-roots.ts';
export type { Timestamp, Value } from './evaluate/values.ts';
export type { Expr, Span } from './language/ast.ts';
export { type Description, describeEnvironment } from './language/describe.ts';
export {
  type ActivityRow,
  controlsRoot,
  coreExclusive,
  coreRoots,
  coreShapes,
  type Environment,
  type EnvironmentPart,
  makeEnvironment,
  type ParameterTable,
  transferEnvironment,
} from './language/environment.ts';
export { evaluateExpression, isFalse } from './language/expression.ts';
export * from './language/limits.ts';
export { parse } from './language/parse.ts';
export { printExpression } from './language/print.ts';
export { formatExpressionError, formatPolicyError, type Part, type Place, type PolicyError } from './language/problem.ts';
export type { Root } from './language/root.ts';
export { type Selector, type Translated, translateSelectors } from './language/selectors.ts';
export { oneOf, type Shapes, type TextShape, UUID } from './language/shapes.ts';
export {
  BOOL,
  DYNAMIC,
  HEX,
  INT,
  listOf,
  mapOf,
  type OwnForm,
  STRING,
  type StructType,
  struct,
  TIMESTAMP,
  type Type,
  textOf,
  typeName,
  UINT,
} from './language/types.ts';
export { approvesNothing } from './warnings/approvals.ts';
export { leavesOutFee } from './warnings/fees.ts';
export { type BindingLimit, waysPastLimits } from './warnings/limits.ts';
export { leavesUnread, waysAround } from './warnings/unread.ts';
export { literalWarnings, warnings } from './warnings/warn.ts';
export type { PolicyWarning } from './warnings/warning.ts';
