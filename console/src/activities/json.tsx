import { visible } from '../../../review/visible.ts';
import { Copy } from '../parts/copy.tsx';

/** A value of the service as text: nothing of it is a link or markup. */
export const Json = ({ value }: { value: unknown }) => {
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      <Copy text={text} what="the JSON" />
      <pre className="body">{visible(text)}</pre>
    </>
  );
};
