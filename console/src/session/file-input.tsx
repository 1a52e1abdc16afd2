/** Chooses a key file. */
type Props = { id: string; isDisabled: boolean; onFile(file: File): void };

export const FileInput = ({ id, isDisabled, onFile }: Props) => (
  <input
    id={id}
    type="file"
    accept=".json,application/json"
    disabled={isDisabled}
    onChange={({ currentTarget }) => {
      const file = currentTarget.files?.[0];
      // The same file can be chosen again.
      currentTarget.value = '';
      if (file) onFile(file);
    }}
  />
);
