import { visible } from '../../../review/visible.ts';
import { Copy } from '../parts/copy.tsx';

/** A page with a megabyte of text in one element is slow. A copy has all. */
const MOST_SHOWN = 100_000;

export const Body = ({ body }: { body: string }) => (
  <details>
    <summary>The exact body ({body.length.toLocaleString('en')} characters)</summary>
    <Copy text={body} what="the body" />
    <pre className="body">{visible(body.slice(0, MOST_SHOWN))}</pre>
    {body.length > MOST_SHOWN && <p className="dim">The first {MOST_SHOWN.toLocaleString('en')} characters. A copy has all.</p>}
  </details>
);
