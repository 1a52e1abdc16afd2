/** The options of the commands that ask the service. */
export const CREDENTIALS = `  --credentials FILE   another file than DATA_DIR/root-credentials.json, such as one of countersign keygen
  --profile NAME       the credentials of countersign profile add
  --url URL            another service than that of BASE_URL, PORT or the credentials file
  --organization ID    another organization, such as a sub-organization
`;
