/** What the service says of itself to everybody. Its other checks are the operator's: they tell of all organizations. */
import { useQuery } from '@tanstack/react-query';
import { visible } from '../../../review/visible.ts';
import { AsCommand, commandOf } from '../parts/command.tsx';
import { Notice } from '../parts/notice.tsx';
import { readiness } from '../service/call.ts';
import { ASK_AGAIN_MS, Part } from './part.tsx';

export function Installation() {
  const ready = useQuery({ queryKey: ['ready'], queryFn: readiness, refetchInterval: ASK_AGAIN_MS });
  return (
    <Part title="The service" read={ready}>
      {({ status, reason, warnings = [] }) => (
        <>
          {status !== 'ready' && (
            <Notice level="red" title={`The service is not ready: ${visible(reason ?? 'it says not why')}`} />
          )}
          {status === 'ready' && warnings.length === 0 && <p>It is ready, and warns of nothing.</p>}
          {warnings.map(({ code, message }) => (
            <Notice key={code} level="amber" title={visible(message)}>
              <code>{visible(code)}</code>
            </Notice>
          ))}
          <p className="dim">Its operator sees more by a command, in the folder of the service.</p>
          <AsCommand line={commandOf('doctor')} title="All checks as a command" note="" />
        </>
      )}
    </Part>
  );
}
