/** Built-in session profiles of the service. */

/** It allows queries, and deleting its own key. */
export const READ_PROFILE = '00000000-0000-4000-8000-000000000001';

/** The most that this profile allows. */
export const SESSION_SECONDS = '3600';
