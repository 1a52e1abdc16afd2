/** Draws a review: what would be signed, whole. Every text of it is text, with hidden characters visible. */
import { grouped } from '../../../review/grouped.ts';
import type { Argument, Call, Fact, Field, Review, Warning } from '../../../review/types.ts';
import { Copy } from '../parts/copy.tsx';

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

const FactRow = ({ fact }: { fact: Fact }) => (
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

export const Warnings = ({ warnings }: { warnings: readonly Warning[] }) =>
  warnings.length === 0 ? null : (
    <ul className="warnings">
      {[...warnings]
        .sort((a, b) => Number(a.level === 'amber') - Number(b.level === 'amber'))
        .map(({ code, level, text, at }) => (
          <li key={`${code} ${at} ${text}`} className={level}>
            <strong>{level === 'red' ? 'Danger' : 'Note'}</strong> {text}
            {at && <code className="at"> {at}</code>}
          </li>
        ))}
    </ul>
  );

const Arguments = ({ given }: { given: readonly Argument[] }) => (
  <dl className="facts arguments">
    {given.map(({ name, type, value }, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: arguments have a fixed order
      <div className="fact" key={i}>
        <dt>
          {name || `#${i}`} <span className="dim">{type}</span>
        </dt>
        <dd>
          <code className="address">{/^u?int\d*$/.test(type) ? grouped(value) : value}</code>
        </dd>
      </div>
    ))}
  </dl>
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
    {call.arguments.length > 0 && <Arguments given={call.arguments} />}
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

const Calls = ({ calls }: { calls: readonly Call[] }) => (
  <ol className="calls">
    {calls.map((call, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: calls have a fixed order
      <CallView call={call} key={i} />
    ))}
  </ol>
);

const Everything = ({ fields }: { fields: readonly Field[] }) => (
  <details>
    <summary>Every field ({fields.length})</summary>
    <dl className="facts every">
      {fields.map(({ path, value }) => (
        <div className="fact" key={path}>
          <dt>
            <code>{path}</code>
          </dt>
          <dd>
            <code className="address">{value}</code>
          </dd>
        </div>
      ))}
    </dl>
  </details>
);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const unprovenWarning = (text: string): Warning => ({ code: 'unproven', level: 'amber', text: `${capital(text)}.` });

/** `unproven`: what the service does not say, and what its word alone says. */
export const ReviewView = ({ review, unproven = [] }: { review: Review; unproven?: readonly string[] | undefined }) => (
  <div className={review.readable ? 'review' : 'review unreadable'}>
    {!review.readable && (
      <p className="unreadable-title" role="alert">
        Something of this cannot be read. No reader can tell from this page all that it signs.
      </p>
    )}
    <Warnings warnings={[...review.warnings, ...unproven.map(unprovenWarning)]} />
    <dl className="facts">
      {review.facts.map((fact, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts have a fixed order
        <FactRow fact={fact} key={i} />
      ))}
    </dl>
    {review.calls.length > 0 && (
      <section>
        <h2 className="part">Calls</h2>
        <Calls calls={review.calls} />
      </section>
    )}
    <Everything fields={review.everything} />
  </div>
);
