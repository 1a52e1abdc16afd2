/** Which organization the pages show, and a search for those below. The choice is in the address. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { components } from '../../../openapi/client/public-api.d.ts';
import { visible } from '../../../review/visible.ts';
import { Button } from '../parts/button.tsx';
import { AsCommand, commandOf } from '../parts/command.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { More } from '../parts/more.tsx';
import { Failure } from '../parts/notice.tsx';
import { read, readerOf } from '../service/read.ts';
import { type Session, useSession, useSessionState } from '../session/state.ts';

type Page = components['schemas']['FindSuborgsResponse'];

const LIMIT = '20';

/** The signed-in person's own session, wherever the pages are. */
function useOwn(): { own: Session; isIn: boolean } {
  const state = useSessionState();
  if (!('session' in state)) throw new Error('this page needs a session');
  return { own: state.session, isIn: state.status === 'in' };
}

/** Undefined until it is known. `name` undefined: there is none. */
function useShown(): { id: string; isOwn: boolean; known: { name: string | undefined } | undefined } {
  const { organizationId: id, isOwn } = useSession();
  const { own, isIn } = useOwn();
  const { data } = useQuery({
    queryKey: [readerOf(own), 'find_suborgs', id],
    queryFn: () => read<Page>(own, 'find_suborgs', { search: id }),
    enabled: isIn && !isOwn,
  });
  if (isOwn) return { id, isOwn, known: { name: own.organizationName } };
  return { id, isOwn, known: data && { name: data.suborgs[0]?.organizationName } };
}

export function OrganizationSwitch() {
  const { id, known } = useShown();
  const [opens, setOpens] = useState(false);
  const name = known?.name ?? id;
  return (
    <>
      <Button kind="quiet" aria-label={`Organization ${visible(name)}: change`} onPress={() => setOpens(true)}>
        {visible(name)} <span aria-hidden="true">▾</span>
      </Button>
      <Dialog title="Organizations" isOpen={opens} onClose={() => setOpens(false)}>
        <Choice onDone={() => setOpens(false)} />
      </Dialog>
    </>
  );
}

function Choice({ onDone }: { onDone(): void }) {
  const { own, isIn } = useOwn();
  const [text, setText] = useState('');
  const [search, setSearch] = useState('');
  const list = useInfiniteQuery({
    queryKey: [readerOf(own), 'find_suborgs', 'list', search],
    initialPageParam: '',
    queryFn: ({ pageParam: after }) =>
      read<Page>(own, 'find_suborgs', { search, paginationOptions: { limit: LIMIT, ...(after && { after }) } }),
    getNextPageParam: ({ next }) => next,
    enabled: isIn,
  });
  const rows = list.data?.pages.flatMap(({ suborgs }) => suborgs) ?? [];
  const part = text.trim().toLowerCase();
  // What was searched for may be of a user, whom no row shows.
  const fits = (...of: string[]) => part === search.toLowerCase() || of.some((one) => one.toLowerCase().includes(part));
  const shown = rows.filter(({ organizationId, organizationName }) => fits(organizationId, organizationName));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSearch(text.trim());
  };
  return (
    <>
      <form onSubmit={submit} className="search">
        <Field
          label="Find an organization below"
          value={text}
          onChange={setText}
          maxLength={255}
          help="Typing narrows what is loaded. A search finds whole values: a name, an id, or a user’s name, email address or phone number."
        />
        <Button type="submit">Search</Button>
      </form>
      <ul className="organizations" aria-label="Organizations" aria-busy={list.isPending}>
        {search === '' && fits(own.organizationId, own.organizationName) && (
          <Row id={undefined} shown={own.organizationId} name={own.organizationName} onDone={onDone} />
        )}
        {shown.map(({ organizationId: id, organizationName: name }) => (
          <Row key={id} id={id} shown={id} name={name} onDone={onDone} />
        ))}
      </ul>
      <p role="status" className="dim">
        {list.isSuccess &&
          rows.length === 0 &&
          (search === '' ? 'No organization is below yours.' : 'No organization below yours fits.')}
        {rows.length > 0 &&
          shown.length === 0 &&
          `None of the ${rows.length} that are loaded has this. A search asks the service.`}
      </p>
      {list.error && <Failure error={list.error} doing="Searching" />}
      <More list={list} byItself={false} label="More" />
      <AsCommand line={commandOf('query', 'find_suborgs', JSON.stringify(search === '' ? {} : { search }))} />
      <div className="buttons">
        <Button onPress={onDone}>Close</Button>
      </div>
    </>
  );
}

const Row = ({ id, shown, name, onDone }: { id: string | undefined; shown: string; name: string; onDone(): void }) => (
  <li>
    <Link to="/approvals" search={{ org: id }} onClick={onDone}>
      <strong>{visible(name)}</strong> {id === undefined && <span className="dim">yours</span>}
      <br />
      <code className="address">{shown}</code>
    </Link>
  </li>
);

/** Above every page of an organization below. */
export function OrganizationBand() {
  const { id, known } = useShown();
  const { own } = useOwn();
  return (
    <div className="band" role="status">
      <span>
        {known && known.name === undefined ? (
          <>No organization below yours has this id:</>
        ) : (
          <>
            You read <strong>{visible(known?.name ?? '…')}</strong> as a user of the organization above. You can change nothing
            here.
          </>
        )}{' '}
        <code className="address">{id}</code>
      </span>
      <Link to="/approvals" search={{ org: undefined }}>
        Back to {visible(own.organizationName)}
      </Link>
    </div>
  );
}
