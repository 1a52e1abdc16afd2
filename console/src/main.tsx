import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { findService } from './service/call.ts';
import { client } from './service/read.ts';
import { takeEnrolLink } from './session/enrol-link.ts';
import { openSession } from './session/state.ts';

// Before anything else: the key leaves the address, and so the browser's history.
takeEnrolLink();
await Promise.all([findService(), openSession()]);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
