import { Link } from '@tanstack/react-router';
import type { components } from '../../../openapi/client/public-api.d.ts';
import { visible } from '../../../review/visible.ts';
import { commandOf } from '../parts/command.tsx';
import { Ago, millisecondsOf } from '../parts/time.tsx';
import { useRead } from '../service/read.ts';
import { ASK_AGAIN_MS, Part } from './part.tsx';

type Freeze = components['schemas']['Freeze'];

const SHOWN = 10;

function nameOf({ userId, walletId, privateKeyId }: Freeze): string {
  if (userId) return `User ${userId}`;
  if (walletId) return `Wallet ${walletId}`;
  return privateKeyId ? `Private key ${privateKeyId}` : 'All keys of the organization';
}

export function Frozen() {
  const frozen = useRead<{ freezes: Freeze[] }>('list_freezes', {}, { refetchInterval: ASK_AGAIN_MS });
  return (
    <Part title="Frozen" read={frozen} command={commandOf('query', 'list_freezes', '{}')}>
      {({ freezes }) => (
        <>
          {freezes.length === 0 && <p>Nothing is frozen.</p>}
          <ul className="requests">
            {freezes.slice(0, SHOWN).map((freeze) => (
              <li key={freeze.activityId}>
                <Link to="/activities/$id" params={{ id: freeze.activityId }}>
                  <span className="request-title">{nameOf(freeze)}</span>
                  <span className="dim">
                    {visible(freeze.reason)} · <Ago ms={millisecondsOf(freeze.createdAt)} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
          {freezes.length > SHOWN && <p>And {freezes.length - SHOWN} more: the command lists them.</p>}
        </>
      )}
    </Part>
  );
}
