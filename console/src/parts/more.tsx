/** The end of a list that has more. It reads on when it is seen, and by a button. After a failure, the button alone asks again. */
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

type List = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage(): Promise<unknown>;
};

/** `byItself`: false leaves it to the button. */
export function More({ list, byItself = true, label = 'Older ones' }: { list: List; byItself?: boolean; label?: string }) {
  const [end, setEnd] = useState<HTMLDivElement | null>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list;
  const reads = byItself && hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (end === null || !reads) return;
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && void fetchNextPage(), { rootMargin: '300px' });
    seen.observe(end);
    return () => seen.disconnect();
  }, [end, reads, fetchNextPage]);
  return (
    <div ref={setEnd} className="more">
      {hasNextPage && (
        <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Reading…' : label}
        </Button>
      )}
    </div>
  );
}
