import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  retainSearchParams,
} from '@tanstack/react-router';
import { organizationIn, searchOf, waitingSearchOf } from '../activities/search.ts';
import { view } from '../session/viewed.ts';
import { CrashPage, NotFoundPage } from './error-page.tsx';
import { Shell } from './shell.tsx';

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** `org`: an organization below the person's own. Links keep it. */
const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: CrashPage,
  validateSearch: (search: Record<string, unknown>): { org?: string | undefined } => organizationIn(search),
  search: { middlewares: [retainSearchParams(['org'])] },
  beforeLoad: ({ search, preload }) => {
    // The router also passes a search that it refused.
    if (!preload) view(organizationIn(search).org);
  },
});

const home = createRoute({ getParentRoute: () => root, path: '/', component: () => <Navigate to="/approvals" replace /> });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  component: lazyRouteComponent(() => import('../pages/overview.tsx'), 'OverviewPage'),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: waitingSearchOf,
  component: lazyRouteComponent(() => import('../pages/approvals.tsx'), 'ApprovalsPage'),
});

const activities = createRoute({
  getParentRoute: () => root,
  path: '/activities',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('../pages/activities.tsx'), 'ActivitiesPage'),
});

const activity = createRoute({
  getParentRoute: () => root,
  path: '/activities/$id',
  validateSearch: (search): { tab?: string } => (text(search.tab) ? { tab: text(search.tab)! } : {}),
  component: lazyRouteComponent(() => import('../pages/activity.tsx'), 'ActivityPage'),
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account.tsx'), 'AccountPage'),
});

const enrol = createRoute({
  getParentRoute: () => root,
  path: '/enrol',
  component: lazyRouteComponent(() => import('../pages/enrol.tsx'), 'EnrolPage'),
});

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('../pages/join.tsx'), 'JoinPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, overview, approvals, activities, activity, account, enrol, join]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: CrashPage,
  trailingSlash: 'never',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
