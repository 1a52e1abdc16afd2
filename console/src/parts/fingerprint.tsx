import { Copy } from './copy.tsx';

const GROUP = /.{1,4}/g;

/** Whole, in groups of four digits. A copy has no spaces. */
export const Fingerprint = ({ value }: { value: string }) => {
  const [scheme = '', hex = ''] = value.split(':');
  return (
    <span className="fingerprint">
      <code>
        {scheme}: {(hex.match(GROUP) ?? []).join(' ')}
      </code>
      <Copy text={value} what="the fingerprint" />
    </span>
  );
};
