/** The policy language and the decision. See docs/policy-language.md. */
export type { Expr, Span } from './ast.ts';
export { chainExclusive, chainShapes } from './chain-shapes.ts';
export * as chainTypes from './chain-types.ts';
export { chainRoots } from './chain-types.ts';
export {
  type CompiledExpression,
  type CompiledPolicy,
  compileCondition,
  compilePolicy,
  type Effect,
  type PolicySource,
} from './compile.ts';
export { type Failure, type FailureCode, openRequest, type Request, type Roots } from './context.ts';
export {
  type Decision,
  type DecisionInput,
  decide,
  type Outcome,
  type QualificationInput,
  qualifiesToVote,
  type RootQuorum,
  withoutPolicies,
} from './decide.ts';
export { type Description, describeEnvironment } from './describe.ts';
export {
  type ActivityRow,
  coreExclusive,
  coreRoots,
  coreShapes,
  type Environment,
  makeEnvironment,
  type Root,
} from './environment.ts';
export { type ExplainedClause, type Explanation, explain, type SeenValue, shownValue } from './explain.ts';
export { evaluateExpression } from './expression.ts';
export { indexedFields } from './index-keys.ts';
export * from './limits.ts';
export { contributes, type PolicyEvaluation, type PolicyOutcome, saysAbsent, type Voter } from './outcome.ts';
export { type ParameterTable, parameterTable } from './parameters.ts';
export { parse } from './parse.ts';
export { buildIndex, candidates, type IndexedPolicy, indexNaming, type NamedPolicy, type PolicyIndex } from './policy-index.ts';
export { printExpression } from './print.ts';
export { formatPolicyError, type Part, type Place, type PolicyError } from './problem.ts';
export { type Selector, type Translated, translateSelectors } from './selectors.ts';
export { oneOf, type Shapes, type TextShape } from './shapes.ts';
export {
  BOOL,
  DYNAMIC,
  HEX,
  INT,
  listOf,
  mapOf,
  STRING,
  type StructType,
  struct,
  TIMESTAMP,
  type Type,
  typeName,
  UINT,
} from './types.ts';
export { waysAround } from './unread.ts';
export type { Timestamp, Value } from './values.ts';
export { type PolicyWarning, warnings } from './warn.ts';
