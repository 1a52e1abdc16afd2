import { ApiError } from '../base/errors.ts';
import {
  type CompiledExpression,
  type CompiledPolicy,
  compileCondition,
  compilePolicy,
  describeEnvironment,
  type Environment,
  formatExpressionError,
  formatPolicyError,
  type PolicySource,
  type Selector,
  transferEnvironment,
  translateSelectors,
} from '../policy/index.ts';

/** The parts of a policy that are expressions. */
export type PolicyTexts = Omit<PolicySource, 'effect'>;

export type PolicyCompiler = {
  /** Whether a name has a meaning in expressions. */
  isWord(name: string): boolean;
  /** The kind of an activity's type, which may be of any version. Undefined for a type that is not served. */
  kindOf(type: string): string | undefined;
  /** Whether an activity of the type signs with a key, or may name one. */
  namesKey(type: string): boolean;
  /** The velocity controls that the condition of a policy reads, each with the text that refuses it. None for a text that does not compile. */
  controlsIn(condition: string): readonly { name: string; unknown: string }[];
  /** Compiles a new text. Throws REQUEST_INVALID with the place of every mistake. `fields`: the request field of each part. */
  check(source: PolicySource, fields: { condition: string; consensus: string; time: string }): CompiledPolicy;
  /** Translates selectors of the first two versions of policies into texts. Throws REQUEST_INVALID. */
  translate(selectors: readonly Selector[]): { condition: string; consensus: string };
  /** Compiles a stored policy. Undefined if this program no longer accepts its text. */
  compile(source: PolicySource): CompiledPolicy | undefined;
  /** Compiles the new scope of a session profile. Throws REQUEST_INVALID with the place of every mistake. */
  checkScope(scope: string, field: string): CompiledExpression;
  /** The same for the new condition of an MFA policy. */
  checkMfaCondition(condition: string, field: string): CompiledExpression;
  /** The same for the new condition of a velocity control. */
  checkTransferCondition(condition: string, field: string): CompiledExpression;
  /** Compiles a stored scope. Undefined if this program no longer accepts it. */
  compileScope(scope: string): CompiledExpression | undefined;
  /** The same for the condition of an MFA policy. */
  compileMfaCondition(condition: string): CompiledExpression | undefined;
  /** The same for the condition of a velocity control. */
  compileTransferCondition(condition: string): CompiledExpression | undefined;
};

/** Every name that expressions give a meaning. */
function wordsOf(environment: Environment): ReadonlySet<string> {
  const { roots, functions } = describeEnvironment(environment);
  const names = [...roots.map(({ keyword }) => keyword), ...functions.map(({ name }) => name)];
  return new Set(['true', 'false', 'in', 'and', 'or', 'not', ...names.flatMap((name) => name.split('.'))]);
}

export function policyCompiler(environment: Environment): PolicyCompiler {
  const words = wordsOf(environment);
  const types = new Map(environment.activities.map((row) => [row.type, row]));
  // Organizations with the same texts share the compiled policies, as long as one of them is kept.
  const known = new Map<string, WeakRef<CompiledPolicy>>();
  const gone = new FinalizationRegistry<string>((key) => {
    if (known.get(key)?.deref() === undefined) known.delete(key);
  });
  const ofTransfers = transferEnvironment(environment);
  const compileAs = {
    scope: (text: string) => compileCondition(text, environment, 'lenient'),
    condition: (text: string) => compileCondition(text, environment, 'kleene'),
    'condition of a velocity control': (text: string) => compileCondition(text, ofTransfers),
  };
  function stored(text: string, what: keyof typeof compileAs): CompiledExpression | undefined {
    const compiled = compileAs[what](text);
    return compiled.ok ? compiled.expression : undefined;
  }
  function checked(text: string, field: string, what: keyof typeof compileAs): CompiledExpression {
    const compiled = compileAs[what](text);
    if (compiled.ok) return compiled.expression;
    const violations = compiled.errors.map((error) => ({ field, description: formatExpressionError(error, what) }));
    throw new ApiError('REQUEST_INVALID', violations.map((v) => v.description).join('; '), { violations });
  }
  return {
    isWord: (name) => words.has(name),
    kindOf: (type) => types.get(type)?.kind,
    namesKey: (type) => types.get(type)?.namesKey === true,
    controlsIn(condition) {
      const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition }, environment);
      if (!compiled.ok) return [];
      const hint = 'create it with CREATE_VELOCITY_CONTROL first';
      return compiled.policy.controls.map(({ name, span }) => {
        const message = `there is no velocity control \`${name}\``;
        return { name, unknown: formatPolicyError({ part: 'condition', message, span, hint }) };
      });
    },
    check(source, fields) {
      const compiled = compilePolicy(source, environment);
      if (compiled.ok) return compiled.policy;
      const violations = compiled.errors.map((error) => ({ field: fields[error.part], description: formatPolicyError(error) }));
      throw new ApiError('REQUEST_INVALID', violations.map((v) => v.description).join('; '), { violations });
    },
    translate(selectors) {
      const translated = translateSelectors(selectors, environment);
      if (translated.ok) return { condition: translated.condition, consensus: translated.consensus };
      const violations = translated.errors.map((e) => ({ field: `parameters.selectors[${e.selector}]`, description: e.message }));
      const text = violations.map((v) => `${v.field}: ${v.description}`).join('; ');
      throw new ApiError('REQUEST_INVALID', `invalid policy ${translated.errors[0]?.part ?? 'condition'}: ${text}`, {
        violations,
      });
    },
    compile(source) {
      const key = JSON.stringify([source.effect, source.condition, source.consensus, source.time]);
      const kept = known.get(key)?.deref();
      if (kept) return kept;
      const compiled = compilePolicy(source, environment);
      if (!compiled.ok) return undefined;
      known.set(key, new WeakRef(compiled.policy));
      gone.register(compiled.policy, key);
      return compiled.policy;
    },
    checkScope: (scope, field) => checked(scope, field, 'scope'),
    checkMfaCondition: (condition, field) => checked(condition, field, 'condition'),
    checkTransferCondition: (condition, field) => checked(condition, field, 'condition of a velocity control'),
    compileScope: (scope) => stored(scope, 'scope'),
    compileMfaCondition: (condition) => stored(condition, 'condition'),
    compileTransferCondition: (condition) => stored(condition, 'condition of a velocity control'),
  };
}
