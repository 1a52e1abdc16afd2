/** The same action as a line of the command line. */
import { shellQuoted } from '../../../src/base/shell.ts';
import { useReader } from '../session/state.ts';
import { Copy } from './copy.tsx';

/** Words may come from an address or from the service, so each is quoted. */
export const commandOf = (...words: readonly string[]): string => ['./countersign', ...words].map(shellQuoted).join(' ');

/** `note`: whose key it uses. '' for none. */
type Props = { line: string; title?: string; note?: string };

const WHOSE = 'On the service’s machine it uses the key of the root user, unless --credentials FILE follows ./countersign.';

export const AsCommand = ({ line, title = 'As a command', note = WHOSE }: Props) => (
  <details className="command">
    <summary>{title}</summary>
    <div className="command-line">
      <code>{line}</code>
      <Copy text={line} what="the command" />
    </div>
    {note && <p className="dim">{note}</p>}
  </details>
);

/** The command line asks the organization of its key, so a command of another one's page names that. */
export function AsCommandHere({ line, ...rest }: Props) {
  const reader = useReader();
  const isElsewhere = reader !== undefined && !reader.isOwn;
  return <AsCommand line={isElsewhere ? `${line} --organization ${reader.organizationId}` : line} {...rest} />;
}
