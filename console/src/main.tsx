import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { NotStarted } from './app/error-page.tsx';
import { router } from './app/router.tsx';
import { SignedInPage } from './pages/signed-in.tsx';
import { findService } from './service/call.ts';
import { learnLogins } from './service/logins.ts';
import { client } from './service/read.ts';
import { takeEnrolLink } from './session/enrol-link.ts';
import { takeInvitation } from './session/invitation.ts';
import { dropHeldKeys } from './session/own-keys.ts';
import { takeReturn } from './session/provider.ts';
import { openSession } from './session/state.ts';

// Before anything else: keys and tokens leave the address.
takeEnrolLink();
takeInvitation();
const returned = takeReturn();
const root = createRoot(document.getElementById('root')!);
async function start(): Promise<void> {
  learnLogins(await findService());
  await openSession(() => {
    client.clear();
    dropHeldKeys();
  });
  root.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
if (returned) root.render(<SignedInPage returned={returned} />);
else await start().catch((error: unknown) => root.render(<NotStarted error={error} />));
