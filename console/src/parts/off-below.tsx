/** Why buttons are off in an organization below one's own. */
export const OffBelow = () => (
  <p className="dim">
    These buttons are off: a user of the organization above reads here. The users of this organization decide.
  </p>
);
