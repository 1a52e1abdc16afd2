/** Draws a review: what would be signed, whole. Every text of it is text, with hidden characters visible. */
import { useMemo } from 'react';
import { grouped } from '../../../review/grouped.ts';
import { tellingOf } from '../../../review/telling.ts';
import type { Argument, Call, Fact, Field, Review, Warning } from '../../../review/types.ts';
import { Copy } from '../parts/copy.tsx';
import { Long } from '../parts/long.tsx';

const WHOLE = new Set(['address', 'hex', 'id']);

/** Bytes prove the value, in smallest units. Whole tokens are beside it. */
const Value = ({ fact: { kind, value, unit, whole } }: { fact: Fact }) =>
  WHOLE.has(kind) ? (
    <>
      <code className="address">{value}</code> <Copy text={value} what="the value" />
    </>
  ) : (
    <span className={`value ${kind}`}>
      {whole && `${whole} · `}
      {value}
      {unit && ` ${unit}`}
    </span>
  );

const factRow = (fact: Fact) => (
  <div className={fact.main ? 'fact main' : 'fact'}>
    <dt>{fact.label}</dt>
    <dd>
      {fact.before !== undefined && (
        <p className="before">
          <span className="tag">now, as the service says</span> <del>{fact.before}</del>
        </p>
      )}
      <Value fact={fact} />
      {fact.note && <p className="note">{fact.note}</p>}
    </dd>
  </div>
);

function Facts({ facts }: { facts: readonly Fact[] }) {
  const stays = useMemo(() => {
    const telling = tellingOf(facts);
    return (fact: Fact) => telling.has(fact);
  }, [facts]);
  return <Long as="dl" className="facts" what="facts" note={FACTS_NOTE} rows={facts} stays={stays} draw={factRow} />;
}

const FACTS_NOTE = 'Payees, amounts and tokens are among them, equal payments once. The warnings are about every fact.';
const CALLS_NOTE = 'Calls with a warning are all among them.';

const always = (): boolean => true;

const warningRow = ({ level, text, at }: Warning) => (
  <li className={level}>
    <strong>{level === 'red' ? 'Danger' : 'Note'}</strong> {text}
    {at && <code className="at"> {at}</code>}
  </li>
);

/** None is folded. Red ones come first. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  const sorted = useMemo(
    () => warnings.toSorted((a, b) => Number(a.level === 'amber') - Number(b.level === 'amber')),
    [warnings],
  );
  return sorted.length === 0 ? null : (
    <Long as="ul" className="warnings" what="warnings" rows={sorted} stays={always} draw={warningRow} />
  );
}

const argumentRow = ({ name, type, value }: Argument, i: number) => (
  <div className="fact">
    <dt>
      {name || `#${i}`} <span className="dim">{type}</span>
    </dt>
    <dd>
      <code className="address">{/^u?int\d*$/.test(type) ? grouped(value) : value}</code>
    </dd>
  </div>
);

const CallView = ({ call }: { call: Call }) => (
  <li className={call.isDelegate ? 'call delegate' : 'call'}>
    <p className="call-head">
      {call.function ? <code>{call.function}</code> : <strong>{call.data ? 'not decoded' : 'a plain transfer'}</strong>}
      {call.named && <span className="tag">named by the service</span>}
      {call.isDelegate && <span className="tag red">delegate call</span>}
    </p>
    <p>
      to <code className="address">{call.to || 'a new contract'}</code>
      {call.value && (
        <>
          {' '}
          with <strong>{`${call.value.amount} ${call.value.unit}`}</strong>
        </>
      )}
    </p>
    {call.arguments.length > 0 && (
      <Long as="dl" className="facts arguments" what="arguments" rows={call.arguments} draw={argumentRow} />
    )}
    {call.data && (
      <details>
        <summary>Data</summary>
        <code className="address">{call.data}</code>
      </details>
    )}
    <Warnings warnings={call.warnings} />
    {call.calls.length > 0 && <Calls calls={call.calls} />}
  </li>
);

const isDangerous = ({ isDelegate, warnings, calls }: Call): boolean =>
  isDelegate === true || warnings.length > 0 || calls.some(isDangerous);

const callRow = (call: Call) => <CallView call={call} />;

const Calls = ({ calls }: { calls: readonly Call[] }) => (
  <Long as="ol" className="calls" what="calls" note={CALLS_NOTE} rows={calls} stays={isDangerous} draw={callRow} />
);

const fieldRow = ({ path, value }: Field) => (
  <div className="fact">
    <dt>
      <code>{path}</code>
    </dt>
    <dd>
      <code className="address">{value}</code>
    </dd>
  </div>
);

const Everything = ({ fields }: { fields: readonly Field[] }) => (
  <details>
    <summary>Every field ({grouped(String(fields.length))})</summary>
    <Long as="dl" className="facts every" what="fields" rows={fields} draw={fieldRow} />
  </details>
);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const unprovenWarning = (text: string): Warning => ({ code: 'unproven', level: 'amber', text: `${capital(text)}.` });

/** `unproven`: what the service does not say, and what its word alone says. */
export function ReviewView({ review, unproven }: { review: Review; unproven?: readonly string[] | undefined }) {
  const warnings = useMemo(() => [...review.warnings, ...(unproven ?? []).map(unprovenWarning)], [review, unproven]);
  return (
    <div className={review.readable ? 'review' : 'review unreadable'}>
      {!review.readable && (
        <p className="unreadable-title" role="alert">
          Something of this cannot be read. No reader can tell from this page all that it signs.
        </p>
      )}
      <Warnings warnings={warnings} />
      <Facts facts={review.facts} />
      {review.calls.length > 0 && (
        <section>
          <h2 className="part">Calls</h2>
          <Calls calls={review.calls} />
        </section>
      )}
      <Everything fields={review.everything} />
    </div>
  );
}
