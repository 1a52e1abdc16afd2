import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { NotStarted } from './app/error-page.tsx';
import { router } from './app/router.tsx';
import { findService } from './service/call.ts';
import { client } from './service/read.ts';
import { takeEnrolLink } from './session/enrol-link.ts';
import { dropHeldKeys } from './session/own-keys.ts';
import { openSession } from './session/state.ts';

// Before anything else: the key leaves the address, and so the browser's history.
takeEnrolLink();
const root = createRoot(document.getElementById('root')!);
try {
  await findService();
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
} catch (error) {
  root.render(<NotStarted error={error} />);
}
